"""Databases with one store of any size, filled by SQL directly: 10^7 plants in under a minute.

All plants take the same number of bytes in a response, so that all pages of a length do.
"""

import base64
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
from msgspec import Struct
from msgspec.structs import replace

from bench.servers import PLANTSTORE
from tests.postgres.server import PostgresServer

SPACING = 1000  # from one id to the next: room for many cursors between two plants
_PAGES = 49_999  # many more than the service remembers; prime, so that a stride visits each
_STRIDE = 31_337
_FILL = """
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
INSERT INTO plants (store_id, id, name, tag)
SELECT 1, n * ?2, printf('Monstera deliciosa %08d', n), iif(n % 2, 'tropical', NULL) FROM numbers
"""
_KEPT = 100  # events
_FILL_EVENTS = """
INSERT INTO events (store_id, revision, kind, plant_id, name, tag, at, user_id, token_label)
SELECT 1, id / ?1, 'plant.created', id, name, tag, id, 1, 'bench' FROM plants WHERE id > ?2 * ?1
"""
_COUNT = "UPDATE revisions SET revision = ?1, plants = ?1, trimmed = ?2"


class Store(Struct, frozen=True):
    """The URL of a database whose one store has so many plants, and a token for it.

    ``pages`` is a file of paths, each of another page of 100.
    """

    database: str
    token: str
    plants: int
    pages: Path | None = None


@contextmanager
def fresh_database(folder: Path, *, postgres: bool) -> Iterator[str]:
    """The URL of a new database, on SQLite or PostgreSQL."""
    if not postgres:
        yield f"sqlite:///{folder / 'plants.db'}"
        return
    with PostgresServer(folder / "postgres", "fsync = on") as server, server.fresh() as url:
        yield url


def fill_store(file: Path, plants: int) -> Store:
    """The store in a database at this path, which is made and filled where it is missing."""
    exists = file.exists()
    store = make_store(f"sqlite:///{file}", plants)
    if not exists:
        trimmed = max(0, plants - _KEPT)
        with closing(apsw.Connection(str(file))) as connection, connection:
            connection.execute(_FILL, (plants, SPACING))
            connection.execute(_FILL_EVENTS, (SPACING, trimmed))
            connection.execute(_COUNT, (plants, trimmed))
    # Each page is far from the one before.
    ids = max(0, plants - 100) * SPACING
    numbers = (number * _STRIDE % _PAGES for number in range(_PAGES))
    cursors = (encode_cursor(number * ids // _PAGES) for number in numbers)
    pages = file.with_suffix(".pages")
    pages.write_text("".join(f"/plants?limit=100&after={cursor}\n" for cursor in cursors))
    return replace(store, pages=pages)


def make_store(database: str, plants: int, name: str = "garden", role: str = "owner") -> Store:
    """The database's store, made where it is missing, with a new token. It fills nothing."""
    migrate = [*PLANTSTORE, "--database", database, "migrate"]
    subprocess.run(migrate, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    command = [*PLANTSTORE, "--database", database, "token", "create", "--create", "--quiet"]
    command += ["--store", name, "--user", f"{name} {role}", "--role", role]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Store(database, done.stdout.strip(), plants)


def encode_cursor(last_id: int) -> str:
    """As the service's ``Link`` has it; a form that it does not know fails the load."""
    return base64.urlsafe_b64encode(last_id.to_bytes(8, "big", signed=True)).decode().rstrip("=")
