"""The blocks of docs/backup.md on SQLite, one after the other as they stand there."""

import re
from pathlib import Path

from tests.cli.program import Program
from tests.docs.pages import take

NAMED = "plants-20301231T235959.123Z.db"


def test_the_blocks_on_sqlite_work(tmp_path: Path) -> None:
    program = Program(tmp_path).with_database()
    program.make_store("nursery")
    backups = program.folder / "backups"
    backups.mkdir()
    blocks = take("backup.md", "SQLite", "Restore", "Verify", "A drill")
    assert len(blocks) == 5
    for block in blocks:
        script = block.replace("/var/backups/plantstore", str(backups))
        (made,) = [str(path) for path in backups.glob("plants-*Z.db")] or [NAMED]
        script = script.replace(f"sqlite:///{NAMED}", f"sqlite:///{made}").replace(NAMED, made)
        script = script.replace(f"restore {made}", f"restore --yes {made}")  # nobody answers
        done = program.in_shell(f"set -e\n{script}")
        assert done.status == 0, done
    assert re.search("^ok: stores: 1, plants: 0, ", done.out, re.MULTILINE)
    assert [path.suffix for path in backups.iterdir()] == [".db"]
