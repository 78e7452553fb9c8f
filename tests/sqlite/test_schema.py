"""A file whose schema the program does not know is refused, with what to do, and left as it is."""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import apsw
import pytest

from plantstore.bootstrap import open_session
from plantstore.errors import SetupError
from plantstore.sqlite.connection import migrate, prepare
from tests.cli.program import Program
from tests.next_version import NEWEST, NEXT, next_program

COMMANDS = (
    ("serve", "--port", "0"),
    ("token", "create", "--store", "nursery", "--user", "ada"),
)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The program with a database that has a store."""
    made = Program(tmp_path)
    made.out("store", "create", "nursery")
    return made


def execute(program: Program, sql: str) -> None:
    with closing(apsw.Connection(str(program.folder / "plants.db"))) as connection:
        connection.execute(sql)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def read(program: Program) -> bytes:
    return (program.folder / "plants.db").read_bytes()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("change", "advice"),
    [
        (
            "INSERT INTO schema_migrations VALUES (9999, 'later', 'abc', 9999, 1)",
            f"version 9999, newer than this program's {NEWEST}: use the program that migrated it",
        ),
        (
            "UPDATE schema_migrations SET checksum = 'abc' WHERE number = 1",
            "migration 1 (initial) was applied to this database in another form: restore a backup",
        ),
    ],
    ids=["newer", "changed"],
)
def test_a_schema_of_another_program_is_refused(
    program: Program, command: tuple[str, ...], change: str, advice: str
) -> None:
    execute(program, change)
    before = read(program)
    assert advice in program.refusal(*command)
    assert read(program) == before


def test_migrate_refuses_what_it_cannot_move(program: Program) -> None:
    execute(program, "INSERT INTO schema_migrations VALUES (9999, 'later', 'abc', 9999, 1)")
    for arguments in (("migrate",), ("migrate", "--dry-run")):
        assert "newer than this program's" in program.refusal(*arguments)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_an_older_schema_is_refused_until_it_is_migrated(
    program: Program, command: tuple[str, ...]
) -> None:
    newer = next_program(program)
    refused = newer.refusal(*command)
    assert (
        f"migration {NEXT} (next) is pending: make a backup, then run `plantstore migrate`"
        in refused
    )
    assert len(program.data("store", "list")) == 1
    newer.out("migrate")
    assert len(newer.data("store", "list")) == 1


def put(content: bytes) -> Callable[[Path], None]:
    def write(file: Path) -> None:
        file.write_bytes(content)

    return write


def make_foreign(file: Path) -> None:
    with closing(apsw.Connection(str(file))) as connection:
        connection.execute("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')")


@pytest.mark.parametrize("command", [COMMANDS[0], ("migrate",)], ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("make", "advice"),
    [
        (make_foreign, "of another program: give another one with --database"),
        (put(b"A text, and no database at all. " * 100), "file is not a database"),
    ],
    ids=["foreign", "text"],
)
def test_a_file_of_another_program_is_refused_and_left_alone(
    tmp_path: Path, command: tuple[str, ...], make: Callable[[Path], None], advice: str
) -> None:
    program = Program(tmp_path)
    make(tmp_path / "plants.db")
    before = read(program)
    assert advice in program.refusal(*command)
    assert read(program) == before


def test_a_place_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in ("/proc/nowhere/plants.db", f"{tmp_path}/file/plants.db", str(tmp_path)):
        for use in (prepare, partial(migrate, dry_run=False)):
            with pytest.raises(SetupError, match=f"cannot use the database {place}"):
                use(Path(place))


def test_what_is_not_a_database_url_is_refused() -> None:
    for url in ("plants.db", "sqlite://plants.db", "sqlite:///", "sqlite:///:memory:", "mysql://x"):
        with pytest.raises(SetupError, match="write sqlite:///plants"):
            open_session(url)
