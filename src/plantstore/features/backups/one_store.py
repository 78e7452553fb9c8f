"""One store of a backup, for a running database: its plants, by changes as any others.

Invariant: members, tokens and quotas stay as they are now, and so do all other stores.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from heapq import merge
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from plantstore.core.model import INT64_MAX, INT64_MIN, NewPlant, Store
from plantstore.databases import open_session
from plantstore.features.backups.restore import copy_backup, explained
from plantstore.sql.administration.records import list_stores, require_store
from plantstore.sql.changes import Wanted, find_plants
from plantstore.sql.session import Session
from plantstore.sqlite.connection import migrate
from plantstore.sqlite.session import SQLiteSession

_PAGE_ROWS = 1000


@contextmanager
def open_backup(backup: str) -> Iterator[Session]:
    """A session on a database by its URL; or on a verified copy of a file, with the newest schema.

    :raises SetupError: it cannot be used.
    """
    if "://" in backup:
        with closing(open_session(backup)) as session:
            yield session
        return
    path = Path(backup).absolute()
    with TemporaryDirectory(prefix="plantstore-") as folder:
        file = Path(folder, "backup.db")
        with explained(path, file):
            copy_backup(path, file)
            migrate(file)
        with closing(SQLiteSession(f"sqlite:///{file}")) as session:
            yield session


def find_in_backup(backup: Session, store: Store) -> Store:
    """The store in a backup, where it may have had another name.

    :raises NoSuchStoreError: the backup does not have it.
    """
    for earlier in list_stores(backup):
        if (earlier.store_id, earlier.created_at) == (store.store_id, store.created_at):
            return earlier
    return require_store(backup, store.name)


def read_wanted(
    backup: Session, earlier: Store, session: Session, store: Store, ids: Sequence[int]
) -> Iterable[Wanted]:
    """How the backup has plants that are different now: those with these ids, or all."""
    if ids:
        plants = find_plants(backup, earlier.store_id, ids)
        yield from ((plant_id, plants.get(plant_id)) for plant_id in ids)
        return
    sides = ((backup, earlier.store_id, 0), (session, store.store_id, 1))
    for plant_id, rows in groupby(merge(*(_read(*side) for side in sides)), itemgetter(0)):
        plants = {side: plant for _, side, plant in rows}
        if plants.get(0) != plants.get(1):
            yield plant_id, plants.get(0)


def _read(session: Session, store_id: int, side: int) -> Iterator[tuple[int, int, NewPlant]]:
    first = INT64_MIN
    while rows := session.query("page_of_plants", store_id, first, store_id, _PAGE_ROWS):
        yield from ((row[1], side, NewPlant(*row[1:])) for row in rows)
        if rows[-1][1] == INT64_MAX:
            return
        first = rows[-1][1] + 1
