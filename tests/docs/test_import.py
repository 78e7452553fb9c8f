"""The commands of docs/import.md work as they stand there."""

from pathlib import Path

from tests.cli.program import Program
from tests.docs.pages import take


def test_the_commands_of_the_page_work(tmp_path: Path) -> None:
    program = Program(tmp_path).with_database()
    for store in ("nursery", "meadow"):
        program.out("store", "create", store)
    (tmp_path / "seed.ndjson").write_text('{"id":1,"name":"Fern"}\n')
    program.out("import", "seed.ndjson", "--store", "nursery")
    blocks = take("import.md")
    assert len(blocks) == 3
    for text in blocks:
        done = program.in_shell(f"set -e; {text}")
        assert done.status == 0, done
    assert "1,Fern," in program.out("export", "--store", "meadow")
    assert "2,Monstera deliciosa,tropical" in program.out("export", "--store", "nursery")
