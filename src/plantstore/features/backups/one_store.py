"""Restores one store of a backup into a running database, by ordinary changes to its plants.

Invariant: members, tokens, quotas and all other stores are not changed.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from plantstore.core.errors import SetupError
from plantstore.core.model import Store
from plantstore.databases import open_session
from plantstore.features.backups.backup import explained
from plantstore.features.backups.restore import copy_backup
from plantstore.sql.administration.records import find_store, list_stores, require_store
from plantstore.sql.changes import Wanted, find_plants, read_plants
from plantstore.sql.session import Session
from plantstore.sqlite.connection import migrate
from plantstore.sqlite.session import SQLiteSession


@contextmanager
def open_backup(backup: str) -> Iterator[Session]:
    """A session on the database of a URL, or on a verified copy of a file, with the newest schema.

    :raises SetupError: it cannot be used.
    """
    if "://" in backup:
        with closing(open_session(backup)) as session:
            yield session
        return
    path = Path(backup).absolute()
    with TemporaryDirectory(prefix="plantstore-") as folder:
        file = Path(folder, "backup.db")
        with explained(f"nothing was restored from {path}", file):
            copy_backup(path, file)
            migrate(file)
        with closing(SQLiteSession(f"sqlite:///{file}")) as session:
            yield session


def require_stored(session: Session, backup: Session, name: str) -> Store:
    """The store with this name, to restore plants into.

    :raises SetupError: only the backup has the store.
    :raises NoSuchStoreError: neither the database nor the backup has the store.
    """
    deleted = find_store(backup, name)
    if find_store(session, name) is None and deleted and not _find_same(session, deleted):
        raise SetupError(
            f"only the backup has a store {name!r}: create it with "
            f"`plantstore store create {name}`, then restore its plants"
        )
    return require_store(session, name)


def find_in_backup(backup: Session, store: Store) -> Store:
    """The same store in a backup, where it may have another name.

    :raises NoSuchStoreError: the backup does not have it.
    """
    return _find_same(backup, store) or require_store(backup, store.name)


def _find_same(session: Session, store: Store) -> Store | None:
    same = (store.store_id, store.created_at)
    stores = list_stores(session)
    return next((it for it in stores if (it.store_id, it.created_at) == same), None)


def find_missing(
    backup: Session, earlier: Store, session: Session, store: Store, ids: Sequence[int]
) -> list[int]:
    """The ids that neither the backup nor the store has."""
    stored = find_plants(backup, earlier.store_id, ids) | find_plants(session, store.store_id, ids)
    return [plant_id for plant_id in ids if plant_id not in stored]


def read_wanted(
    backup: Session, earlier: Store, session: Session, store: Store, ids: Sequence[int]
) -> Iterator[Wanted]:
    """The wanted states: the backup's plants with these ids, or all plants of both."""
    if ids:
        plants = find_plants(backup, earlier.store_id, ids)
        yield from ((plant_id, plants.get(plant_id)) for plant_id in ids)
        return
    for page in read_plants(session, store.store_id):
        kept = find_plants(backup, earlier.store_id, [plant.id for plant in page])
        yield from ((plant.id, None) for plant in page if plant.id not in kept)
    for page in read_plants(backup, earlier.store_id):
        yield from ((plant.id, plant) for plant in page)
