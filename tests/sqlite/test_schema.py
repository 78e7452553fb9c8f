"""Database files: their schema and settings, and files of other programs."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from plantstore.core.errors import SetupError
from plantstore.databases import open_session
from plantstore.sqlite.connection import connect, migrate
from tests.cli.program import Program
from tests.service import Service

SETTINGS = {
    "encoding": "UTF-8",  # stores text as UTF-8
    "busy_timeout": 5000,
    "checkpoint_fullfsync": 1,
    "foreign_keys": 1,
    "fullfsync": 1,
    "journal_mode": "wal",
    "journal_size_limit": 64 * 2**20,
    "synchronous": 2,
}


def read(program: Program) -> bytes:
    return (program.folder / "plants.db").read_bytes()


def make_foreign(file: Path) -> None:
    with closing(apsw.Connection(str(file))) as connection:
        connection.execute("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')")


@pytest.mark.parametrize(
    "command", [("serve", "--port", "0"), ("migrate",)], ids=lambda command: command[0]
)
@pytest.mark.parametrize(
    ("make", "advice"),
    [
        (make_foreign, "of another program: name another file"),
        (
            lambda file: file.write_bytes(b"A text, and no database at all. " * 100),
            "it is not a SQLite database, or encrypted or compressed; name another file",
        ),
    ],
    ids=["foreign", "text"],
)
def test_a_file_of_another_program_is_refused_and_unchanged(
    tmp_path: Path, command: tuple[str, ...], make: Callable[[Path], object], advice: str
) -> None:
    program = Program(tmp_path)
    make(tmp_path / "plants.db")
    before = read(program)
    assert advice in program.refusal(*command)
    assert read(program) == before


def test_an_unusable_path_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in ("/proc/nowhere/plants.db", f"{tmp_path}/file/plants.db", str(tmp_path)):
        with pytest.raises(SetupError, match=f"cannot use the database {path}"):
            migrate(Path(path))


def test_an_invalid_database_url_is_refused() -> None:
    for url in ("plants.db", "sqlite://plants.db", "sqlite:///", "sqlite:///:memory:", "mysql://x"):
        with pytest.raises(SetupError, match="write sqlite:///plants"):
            open_session(url)


def test_a_connection_has_the_expected_pragmas(tmp_path: Path) -> None:
    migrate(tmp_path / "plants.db")
    with closing(connect(tmp_path / "plants.db")) as connection:
        assert {name: connection.execute(f"PRAGMA {name}").get for name in SETTINGS} == SETTINGS


def test_a_dry_run_creates_no_file(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.run("migrate", "--dry-run")
    assert list(tmp_path.iterdir()) == []


def test_migrate_creates_a_missing_database(tmp_path: Path) -> None:
    program = Program(tmp_path)
    result = program.run("migrate")
    assert result.err == f"created the database {tmp_path / 'plants.db'}\n"
    assert result.out.startswith("applied migration 1 (initial)\n")
    assert program.data("token", "list") == []


def test_migrate_of_a_current_schema_does_not_disturb_a_service(tmp_path: Path) -> None:
    with Service(tmp_path) as service, service.client(service.make_token()) as client:
        for number in range(3):
            assert Program(tmp_path).run("migrate").out == "the schema is up to date\n"
            body = {"id": number, "name": "Ficus"}
            assert client.post("/plants", json=body).is_success
        assert len(client.get("/plants").json()) == 3
