"""The kinds of database that the contract holds for: how a test gets one, and disturbs it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from msgspec import Struct

from plantstore.sqlite.connection import database_path, open_lock


class Kind(Struct, frozen=True):
    """One kind. The contract's tests know databases only by this.

    ``fresh`` gives the URL of a database that nobody has used, ``writes_held`` keeps every write
    to it waiting, as another writer would that takes its time.
    """

    name: str
    fresh: Callable[[Path], AbstractContextManager[str]]
    writes_held: Callable[[str], AbstractContextManager[None]]


@contextmanager
def _fresh_sqlite(folder: Path) -> Iterator[str]:
    yield f"sqlite:///{folder / 'plants.db'}"


@contextmanager
def _sqlite_held(url: str) -> Iterator[None]:
    with open_lock(database_path(url)) as lock, lock.held():
        yield


KINDS = (Kind("sqlite", _fresh_sqlite, _sqlite_held),)
