"""Copies a database, while it is used, to a file that holds its state at one moment.

Invariant: the database stays as it is, and a backup that has its name was verified.
"""

import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
from msgspec import Struct
from msgspec.structs import replace

from plantstore.cli.workspace import publish, workspace
from plantstore.core.errors import SetupError
from plantstore.sqlite.connection import read_applied
from plantstore.sqlite.errors import describe_write
from plantstore.sqlite.files import SUFFIXES, create_file, opened
from plantstore.sqlite.reader import make_interruptible, open_to_read

_COUNTS = "SELECT (SELECT count(*) FROM stores), (SELECT count(*) FROM plants)"
_STEP_PAGES = 256  # 1 MiB: then a signal is handled
_FLUSH_STEPS = 16  # so that no fsync of the service waits for a whole backup


class Backup(Struct, frozen=True):
    """A finished backup; ``file`` is None for a stream, ``removed`` are older ones."""

    file: str | None
    bytes: int
    stores: int
    plants: int
    removed: list[str]


def back_up(database: Path, target: str, keep: int | None) -> Backup:
    """Write a backup to a file, a folder, or ``-`` for stdout; of a folder's, keep so many.

    :raises SetupError: the target, or the database, cannot be used.
    """
    path = Path(target)
    with _explained(target):
        if keep is not None or path.is_dir() or target.endswith("/"):
            file = path / name_by_time(database.stem)
            with workspace(path, database.stem) as folder:
                made = _back_up(database, folder / file.name, file)
                removed = [] if keep is None else _remove_old(path, database.stem, keep, file)
                return replace(made, removed=removed)
        if target == "-":
            return _back_up_to_stdout(database)
        _require_harmless(path, database)
        with workspace(path.parent, path.name) as folder:
            return _back_up(database, folder / path.name, path)


def name_by_time(stem: str) -> str:
    """A file's name with the time, in UTC."""
    return f"{stem}-{datetime.now(UTC).strftime('%Y%m%dT%H%M%S.%f')[:-3]}Z.db"


def _back_up_to_stdout(database: Path) -> Backup:
    """The backup is verified as a temporary file before its first byte is sent."""
    with TemporaryDirectory(prefix="plantstore-") as folder:
        file = Path(folder, "backup.db")
        made = _back_up(database, file, None)
        with file.open("rb") as copy:
            shutil.copyfileobj(copy, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return made


def _back_up(database: Path, file: Path, target: Path | None) -> Backup:
    create_file(file)
    with closing(open_to_read(database)) as source:
        stores, plants = copy_database(source, file)
    size = file.stat().st_size
    if target is not None:
        publish(file, target)
    return Backup(None if target is None else str(target), size, stores, plants, [])


def copy_database(source: apsw.Connection, file: Path) -> tuple[int, int]:
    """Copy the source's state into an empty file, verified; how many stores and plants it has.

    The copy needs no other file beside it.

    :raises SetupError: the database is corrupt, or not one of this program.
    """
    # Within a transaction the copy is not begun anew at each commit of the service.
    source.execute("BEGIN; SELECT count(*) FROM sqlite_schema").fetchall()
    with closing(apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READWRITE)) as copy:
        make_interruptible(copy)
        copy.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF").fetchall()
        copy.execute("PRAGMA journal_mode = OFF").fetchall()
        with opened(file, os.O_RDWR) as written, copy.backup("main", source, "main") as backup:
            for step in count(1):
                if backup.step(_STEP_PAGES):
                    break
                if step % _FLUSH_STEPS == 0:
                    os.fdatasync(written)
        source.execute("ROLLBACK")
        copy.execute("PRAGMA journal_mode = DELETE").fetchall()
        require_intact(copy)
        row: tuple[int, int] = copy.execute(_COUNTS).get
        return row


def require_intact(connection: apsw.Connection) -> None:
    """Refuse a database that is damaged, or not one of this program.

    :raises SetupError: it is; the message goes on after the file's name.
    """
    if not read_applied(connection):
        raise SetupError("the database has no tables yet: run `plantstore migrate`")
    reason = connection.execute("PRAGMA integrity_check(1)").get
    if reason != "ok":
        raise SetupError(f"the database is corrupt: {reason}")


def _require_harmless(target: Path, database: Path) -> None:
    """Refuse to replace what is not a file, or is one of a database that the program uses."""
    own = [database.with_name(database.name + suffix) for suffix in SUFFIXES]
    if target.resolve() in own or target.with_name(f"{target.name}-lock").exists():
        raise SetupError(f"{target} is a database in use: give the backup another name")
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        raise SetupError(f"{target} is not a regular file")


def _remove_old(folder: Path, stem: str, keep: int, made: Path) -> list[str]:
    ours = re.compile(rf"{re.escape(stem)}-\d{{8}}T\d{{6}}\.\d{{3}}Z\.db")
    older = [path for path in folder.iterdir() if ours.fullmatch(path.name) and path != made]
    # Those with a later time were made while a clock was ahead: they go first.
    older.sort(key=lambda path: (path.name < made.name, path.name))
    removed = older[: max(0, len(older) + 1 - keep)]
    for path in removed:
        path.unlink()
    return [str(path) for path in removed]


@contextmanager
def _explained(target: str) -> Iterator[None]:
    """Turn errors into sentences that name the target."""
    try:
        yield
    except BrokenPipeError:  # its reader has gone
        raise
    except (apsw.Error, OSError, SetupError) as error:
        reason = str(error)
        if isinstance(error, apsw.Error):
            reason = describe_write(error, target)
        elif isinstance(error, OSError):
            reason = ": ".join(filter(None, (error.filename, error.strerror)))
        raise SetupError(f"no backup was made to {target}: {reason}") from error
