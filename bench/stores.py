"""Creates databases with one store of any size, filled directly by SQL: 10^7 plants take a minute.

All plants have the same size in a response, so that pages of the same length do too.
"""

import base64
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from bench.servers import PLANTSTORE
from plantstore.core.model import Scope
from tests.databases import execute
from tests.postgres.server import PostgresServer

SPACING = 1000  # between two ids: room for many cursors
_FILL = """
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $1)
INSERT INTO plants (store_id, id, name, tag)
SELECT 1, n * $2, 'Monstera deliciosa ' || (10000000 + n), CASE n % 2 WHEN 1 THEN 'tropical' END
FROM numbers
"""
_COUNT = "UPDATE revisions SET revision = $1, plants = $1, trimmed = $1"


class Store(Struct, frozen=True):
    """A store: the URL of its database, its number of plants, and a token for it."""

    database: str
    token: str
    plants: int


@contextmanager
def fresh_database(folder: Path, *, postgres: bool) -> Iterator[str]:
    """The URL of a new database, on SQLite or PostgreSQL."""
    if not postgres:
        yield f"sqlite:///{folder / 'plants.db'}"
        return
    with PostgresServer(folder / "postgres", "fsync = on") as server, server.fresh() as url:
        yield url


def fill_store(url: str, plants: int) -> Store:
    """Create a store in a new database, with ``plants`` plants and no events."""
    store = make_store(url, plants)
    execute(url, _FILL, [(plants, SPACING)])
    execute(url, _COUNT, [(plants,)])
    return store


def make_store(database: str, plants: int, name: str = "garden") -> Store:
    """The database's store, created empty if missing, with a new token that may do everything."""
    migrate = [*PLANTSTORE, "--database", database, "migrate"]
    subprocess.run(migrate, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    command = [*PLANTSTORE, "--database", database, "token", "create", "--create", "--quiet"]
    command += ["--store", name, "--user", name, "--role", "owner"]
    command += [f"--scope={scope}" for scope in Scope]
    result = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Store(database, result.stdout.strip(), plants)


def encode_cursor(last_id: int) -> str:
    """Encode a cursor as the service does; if it differs, the load fails."""
    return base64.urlsafe_b64encode(last_id.to_bytes(8, "big", signed=True)).decode().rstrip("=")
