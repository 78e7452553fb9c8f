"""Restores one store of a backup into a running database, by ordinary changes to its plants.

Invariant: members, tokens, quotas and all other stores are not changed.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from plantstore.cli.output import Output
from plantstore.cli.plant_changes import change_plants
from plantstore.core.errors import SetupError
from plantstore.core.model import Store
from plantstore.databases import reading
from plantstore.features.backups.backup import explained
from plantstore.features.backups.restore import copy_backup
from plantstore.sql.administration.records import find_store, list_stores, require_store
from plantstore.sql.changes import Wanted, find_plants, read_plants
from plantstore.sql.session import Queries, Session
from plantstore.sqlite.connection import migrate


@contextmanager
def open_backup(backup: str) -> Iterator[Queries]:
    """Queries of the database of a URL, or on a verified copy of a file, with the newest schema.

    :raises SetupError: it cannot be used.
    """
    if "://" in backup:
        with reading(backup) as queries:
            yield queries
        return
    path = Path(backup).absolute()
    with TemporaryDirectory(prefix="plantstore-") as folder:
        file = Path(folder, "backup.db")
        with explained(f"nothing was restored from {path}", file):
            copy_backup(path, file)
            migrate(file)
        with reading(f"sqlite:///{file}") as queries:
            yield queries


def restore_store(
    session: Session, backup: Queries, name: str, ids: Sequence[int], output: Output, **how: bool
) -> None:
    """Change the plants of a store, or those with these ids, to what the backup has.

    ``how`` is as in ``change_plants``. In the backup the store may have another name.

    :raises SetupError: only the backup has the store, or neither has any of the plants.
    :raises NoSuchStoreError: the database or the backup does not have the store.
    """
    earlier = find_store(backup, name)
    if find_store(session, name) is None and earlier and not _find_same(session, earlier):
        raise SetupError(
            f"only the backup has a store {name!r}: create it with "
            f"`plantstore store create {name}`, then restore its plants"
        )
    store = require_store(session, name)
    earlier_id = (_find_same(backup, store) or require_store(backup, name)).store_id
    known = find_plants(session, store.store_id, ids) | find_plants(backup, earlier_id, ids)
    if missing := [plant_id for plant_id in ids if plant_id not in known]:
        sentence = f"neither {name} nor the backup has: {','.join(map(str, missing))}"
        if not known:
            raise SetupError(sentence)
        output.note(sentence)
    wanted = _read_wanted(session, store.store_id, backup, earlier_id, ids)
    change_plants(session, store, lambda: (wanted, ()), output, command="restore", **how)


def _find_same(session: Queries, store: Store) -> Store | None:
    same = (store.store_id, store.created_at)
    return next((it for it in list_stores(session) if (it.store_id, it.created_at) == same), None)


def _read_wanted(
    session: Session, store_id: int, backup: Queries, earlier_id: int, ids: Sequence[int]
) -> Iterator[Wanted]:
    """The wanted states: the backup's plants with these ids, or all plants of both."""
    if ids:
        plants = find_plants(backup, earlier_id, ids)
        yield from ((plant_id, plants.get(plant_id)) for plant_id in ids)
        return
    for page in read_plants(session, store_id):
        kept = find_plants(backup, earlier_id, [plant.id for plant in page])
        yield from ((plant.id, None) for plant in page if plant.id not in kept)
    for page in read_plants(backup, earlier_id):
        yield from ((plant.id, plant) for plant in page)
