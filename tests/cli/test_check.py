"""``plantstore check``: what is good, what is not, and what is not there."""

from contextlib import closing
from pathlib import Path

import apsw

from tests.cli.program import Program


def test_check_makes_no_database(tmp_path: Path) -> None:
    program = Program(tmp_path)
    missing = tmp_path / "missing.db"
    said = program.refusal("check", "--database", f"sqlite:///{missing}")
    assert said == f"Error: there is no database {missing}\n"
    assert not missing.exists()


def test_check_finds_what_is_good_and_what_is_not(program: Program) -> None:
    program.out("store", "create", "nursery")
    found = program.run("check")
    assert (found.status, found.err) == (0, "")
    lines = found.out.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("ok: ") for line in lines)
    file = program.folder / "plants.db"
    with closing(apsw.Connection(str(file))) as connection:
        query = "SELECT rootpage FROM sqlite_schema WHERE name = 'plants_by_tag'"
        begin = 4096 * (connection.execute(query).get - 1)
    content = bytearray(file.read_bytes())
    content[begin : begin + 4096] = bytes(4096)
    file.write_bytes(content)
    assert "restore a backup" in program.refusal("check")
