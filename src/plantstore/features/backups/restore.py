"""Replaces a database that nobody uses by a backup.

Invariant: at any moment, even after a crash, the database is either the complete old one or the
complete restored one; the old one is kept. A service that starts meanwhile uses the restored
database. No revision of a store is used twice for different contents, though the restored database
does not know the revisions after the backup: see docs/decisions/0021.
"""

import stat
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

import apsw
from msgspec import Struct

from plantstore.cli.workspace import flush, flush_folder, workspace
from plantstore.core.errors import SetupError
from plantstore.core.model import INT64_MAX
from plantstore.features.backups.backup import copy_database, explained, name_by_time
from plantstore.features.backups.revocations import Revocations, carry_over
from plantstore.sql.session import Session
from plantstore.sqlite.connection import connect, migrate
from plantstore.sqlite.file_lock import FileLock, unused
from plantstore.sqlite.reader import require_unchanged_schema
from plantstore.sqlite.session import SQLiteSession


class Restored(Struct, frozen=True):
    """The result of a restore; ``kept`` is the path of the old database, if there was one.

    ``revocations`` is None if the old database cannot be read.
    """

    database: str
    kept: str | None
    stores: int
    plants: int
    migrations: Sequence[int]
    revocations: Revocations | None


def restore(backup: Path, database: Path) -> Restored:
    """Replace or create the database by a copy of a backup, with the newest schema.

    :raises SetupError: the backup cannot be used, or the database is in use; nothing was changed.
    """
    with (
        explained(f"nothing was restored from {backup}", database),
        workspace(database.parent, database.name) as folder,
    ):
        if not backup.exists():
            raise SetupError("there is no such file")
        with unused(database):
            pass  # the context manager refuses at once
        file = folder / database.name
        stores, plants = copy_backup(backup, file)
        revocations = carry_over(database, file) if database.exists() else None
        applied = migrate(file)
        with closing(connect(file)) as made:
            require_unchanged_schema(made)
        with closing(SQLiteSession(f"sqlite:///{file}")) as session:
            renew_revisions(session)
        _adopt(file, database)
        kept = _replace(database, file)
    return Restored(str(database), kept, stores, plants, [it.number for it in applied], revocations)


def copy_backup(backup: Path, file: Path) -> tuple[int, int]:
    """Copy a backup into a new file and verify the copy; returns its counts.

    :raises SetupError: the backup cannot be used; the message continues after its name.
    """
    if not backup.is_file():
        raise SetupError("it is not a file" if backup.exists() else "there is no such file")
    if not backup.stat().st_size:
        raise SetupError("it is empty")
    return copy_database(backup, file)


def _adopt(file: Path, database: Path) -> None:
    """Give a file the owner and mode of the database, or those of a new file in the folder."""
    owner, mode = database.parent.stat(), 0o600
    with suppress(FileNotFoundError):
        old = database.stat()
        mode = stat.S_IMODE(old.st_mode)
        owner = old if old.st_uid else owner  # a file of root is probably a mistake
    file.chmod(mode)
    flush(file, owner)


def _replace(database: Path, file: Path) -> str | None:
    """Replace the database by the file; returns the old database's new path."""
    flags = apsw.SQLITE_OPEN_READWRITE
    with suppress(apsw.Error), closing(apsw.Connection(str(database), flags=flags)) as connection:
        # Closing moves the WAL into an intact file. A broken file must stay as it is.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    kept = database.with_name(name_by_time(f"{database.stem}-replaced"))
    wal, index = (database.with_name(database.name + end) for end in ("-wal", "-shm"))
    with closing(FileLock(database)) as lock, lock.held(), unused(database) as exists:
        if exists:
            if wal.exists() and wal.stat().st_size:
                kept.with_name(f"{kept.name}-wal").hardlink_to(wal)
            kept.hardlink_to(database)
        wal.unlink(missing_ok=True)
        index.unlink(missing_ok=True)
        file.replace(database)
    FileLock(database).close()  # creates the lock's file with the new owner
    flush_folder(database.parent)
    return str(kept) if exists else None


def renew_revisions(session: Session) -> int:
    """Raise each store's revision above any that it can have had; returns the number of stores.

    Events count as trimmed up to the new revision, since events after the backup may be missing.
    All links end, since they may have been used or revoked after the backup.
    """
    with session.transaction():
        session.query("delete_links", 0, INT64_MAX, 0, INT64_MAX)
        return len(session.query("renew_revisions", 0, INT64_MAX, time.time_ns() // 1000))
