"""Copies a snapshot of a database, which may be in use, to a file.

Invariant: the database is not changed, and a backup gets its name only after it was verified.
"""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
from msgspec import Struct

from plantstore.cli.workspace import publish, require_replaceable, workspace
from plantstore.core.errors import SetupError
from plantstore.sqlite.connection import find_reason, read_applied
from plantstore.sqlite.errors import describe_write
from plantstore.sqlite.files import create_file, opened
from plantstore.sqlite.reader import make_interruptible, open_to_read

_COUNTS = "SELECT (SELECT count(*) FROM stores), (SELECT count(*) FROM plants)"
_STEP_PAGES = 256  # 1 MiB between two checks for signals
_FLUSH_STEPS = 16  # between two fsyncs, so that the service's never wait for a whole backup


class Backup(Struct, frozen=True):
    """A finished backup; ``file`` is None for a stream."""

    file: str | None
    stores: int
    plants: int


def back_up(database: Path, target: str, *, in_folder: bool) -> Backup:
    """Back up to a file, to a new file in a folder, or to stdout for ``-``.

    :raises SetupError: the target, or the database, cannot be used.
    """
    path = Path(target)
    is_folder = in_folder or path.is_dir() or target.endswith("/")
    file = path / name_by_time(database.stem) if is_folder else path
    with explained(f"no backup was made to {target}", file):
        if target == "-":
            # Verified as a temporary file before its first byte is sent.
            with TemporaryDirectory(prefix="plantstore-") as temporary:
                copy = Path(temporary, "backup.db")
                stores, plants = copy_database(database, copy)
                with copy.open("rb") as opened_copy:
                    shutil.copyfileobj(opened_copy, sys.stdout.buffer)
                sys.stdout.buffer.flush()
            return Backup(None, stores, plants)
        require_replaceable(file, database)
        with workspace(file.parent, database.stem if is_folder else path.name) as folder:
            stores, plants = copy_database(database, folder / file.name)
            publish(folder / file.name, file)
            return Backup(str(file), stores, plants)


def name_by_time(stem: str) -> str:
    """A file name with the current time, in UTC."""
    return f"{stem}-{datetime.now(UTC).strftime('%Y%m%dT%H%M%S.%f')[:-3]}Z.db"


def copy_database(database: Path, file: Path) -> tuple[int, int]:
    """Copy a database into a new file and verify the copy; returns its counts.

    The copy has no other files beside it.

    :raises SetupError: the database is corrupt, or not one of this program.
    """
    create_file(file)
    with (
        closing(open_to_read(database)) as source,
        closing(apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READWRITE)) as copy,
    ):
        # In a transaction, the copy does not restart at each commit of the service.
        source.execute("BEGIN; SELECT count(*) FROM sqlite_schema").fetchall()
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
        if not read_applied(copy):
            raise SetupError("the database has no tables yet: run `plantstore migrate`")
        if (reason := copy.execute("PRAGMA integrity_check(1)").get) != "ok":
            raise SetupError(f"the database is corrupt: {reason}")
        row: tuple[int, int] = copy.execute(_COUNTS).get
        return row


def remove_older(made: Path, stem: str, keep: int) -> list[str]:
    """Remove all but the newest ``keep`` backups of this name beside a new one; returns the paths.

    The new backup always stays.
    """
    ours = re.compile(rf"{re.escape(stem)}-\d{{8}}T\d{{6}}\.\d{{3}}Z\.db")
    older = [path for path in made.parent.iterdir() if ours.fullmatch(path.name) and path != made]
    # Backups with a later time were made while the clock was ahead: they are removed first.
    older.sort(key=lambda path: (path.name < made.name, path.name))
    removed = older[: max(0, len(older) + 1 - keep)]
    for path in removed:
        path.unlink(missing_ok=True)  # another backup may remove it too
    return [str(path) for path in removed]


@contextmanager
def explained(failure: str, path: Path) -> Iterator[None]:
    """Raise errors as SetupErrors that begin with ``failure``, about the ``path`` or its folder."""
    try:
        yield
    except BrokenPipeError:  # the reader has gone
        raise
    except (apsw.Error, OSError, UnicodeError, SetupError) as error:
        reason = str(error)
        if isinstance(error, apsw.NotADBError | OSError):
            reason = find_reason(error, path)
        elif isinstance(error, apsw.CorruptError):
            reason = f"it is damaged or truncated: {error}"
        elif isinstance(error, apsw.Error):
            reason = describe_write(error, path.name)
        elif isinstance(error, UnicodeError):
            reason = "its name is not in UTF-8"
        raise SetupError(f"{failure}: {reason}") from error
