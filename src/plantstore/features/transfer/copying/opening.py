"""Opens the two databases of a copy."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from plantstore.core.errors import SetupError
from plantstore.databases import create_database, open_session, require_database
from plantstore.features.transfer.copying.copying import Copy
from plantstore.sql.session import Session


@contextmanager
def open_copy(source_url: str, target_url: str, store: str | None = None) -> Iterator[Copy]:
    """A copy of a database, or of one store, to another, within a snapshot of the first.

    A missing SQLite file is created for the copy.

    :raises SetupError: one of them cannot be used, or they are the same; there is no such store.
    """
    require_database(source_url, "name another source")
    with (
        closing(open_session(source_url)) as source,
        closing(_open_target(target_url)) as target,
        source.snapshot(),
    ):
        if source.location == target.location:
            raise SetupError(f"both URLs name {source.location}: give two databases")
        yield Copy(source, target, store)


def _open_target(url: str) -> Session:
    create_database(url)
    return open_session(url)
