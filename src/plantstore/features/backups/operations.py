"""Backups, restores and the verification of the database that a URL names."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from plantstore.core.errors import SetupError
from plantstore.databases import check_database, is_postgres, open_session, require_database

if TYPE_CHECKING:
    from plantstore.features.backups.backup import Backup
    from plantstore.features.backups.restore import Restored
    from plantstore.features.backups.verifying import Verification


def back_up(url: str, target: str, keep: int | None) -> "Backup":
    """Write a backup of a SQLite database to a file, a folder, or ``-`` for stdout.

    :raises SetupError: it is on PostgreSQL, or something cannot be used.
    """
    require_database(url)
    if is_postgres(url):
        raise SetupError(
            "the database is on PostgreSQL: back it up with pg_dump, or its WAL for any point in "
            'time; see "PostgreSQL" in docs/backup.md'
        )
    from plantstore.features.backups.backup import back_up
    from plantstore.sqlite.connection import database_path

    return back_up(database_path(url), target, keep)


def restore(url: str, backup: str) -> "Restored":
    """Put a backup in the place of a SQLite database that nobody uses.

    :raises SetupError: it is on PostgreSQL or in use, or the backup is none: nothing was changed.
        Or it was restored and cannot be used, as its message says.
    """
    if is_postgres(url):
        raise SetupError(
            "the database is on PostgreSQL: restore it with pg_restore, then run "
            '`plantstore restore --in-place`; see "PostgreSQL" in docs/backup.md'
        )
    from plantstore.features.backups.restore import restore as run
    from plantstore.sqlite.connection import database_path

    path = database_path(url)
    restored = run(Path(backup).absolute(), path)
    try:
        _require_usable(url)
    except SetupError as error:
        kept = f"; the database that was there is now {restored.kept}" if restored.kept else ""
        raise SetupError(f"the backup was restored, but {error}{kept}") from error
    return restored


def finish_restore(url: str) -> int:
    """Finish a restore that another program has made; how many stores there are.

    :raises SetupError: the database does not exist, or cannot be used.
    """
    from plantstore.features.backups.renewing import renew_revisions

    _require_usable(url)
    with closing(open_session(url)) as session:
        return renew_revisions(session)


def _require_usable(url: str) -> None:
    for check in check_database(url):
        if not check.ok:
            raise SetupError(check.detail)


def has_file(url: str) -> bool:
    """Whether the URL is that of an existing SQLite file."""
    if is_postgres(url):
        return False
    from plantstore.sqlite.connection import database_path

    return database_path(url).exists()


def verify(url: str) -> "Verification":
    """Verify that a database agrees with itself, as it is at one moment.

    :raises SetupError: it does not exist, or cannot be read.
    """
    require_database(url)
    from plantstore.features.backups.verifying import verify as run

    if is_postgres(url):  # which has tools of its own for damage, such as pg_amcheck
        with closing(open_session(url)) as session:
            return run(session)
    from plantstore.features.backups.reader import SQLiteReader
    from plantstore.sqlite.connection import database_path

    with closing(SQLiteReader(database_path(url))) as reader:
        return run(reader, reader.find_damage())
