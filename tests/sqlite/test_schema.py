"""A file whose schema the program does not know is refused, with what to do, and left as it is."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from plantstore.core.errors import SetupError
from plantstore.databases import open_session
from plantstore.sqlite.connection import migrate
from tests.cli.program import Program


def read(program: Program) -> bytes:
    return (program.folder / "plants.db").read_bytes()


def put(content: bytes) -> Callable[[Path], None]:
    def write(file: Path) -> None:
        file.write_bytes(content)

    return write


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
            put(b"A text, and no database at all. " * 100),
            "it is not a SQLite database; name another file",
        ),
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
        with pytest.raises(SetupError, match=f"cannot use the database {place}"):
            migrate(Path(place))


def test_what_is_not_a_database_url_is_refused() -> None:
    for url in ("plants.db", "sqlite://plants.db", "sqlite:///", "sqlite:///:memory:", "mysql://x"):
        with pytest.raises(SetupError, match="write sqlite:///plants"):
            open_session(url)
