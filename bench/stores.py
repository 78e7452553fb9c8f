"""Databases with one store of any size, filled by SQL directly: 10^7 plants in under a minute.

All plants take the same number of bytes in an answer, so that all pages of a length do.
"""

from contextlib import closing
from pathlib import Path

import apsw

from plantstore.bootstrap import open_administration

STORE = "garden"
SPACING = 1000  # from one id to the next: room for many cursors between two plants

_FILL = """
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)
INSERT INTO plants (store_id, id, name, tag)
SELECT store_id, n * ?3, printf('Monstera deliciosa %08d', n), iif(n % 2, 'tropical', NULL)
FROM stores, numbers WHERE stores.name = ?1
"""


def fill_store(database: Path, plants: int) -> Path:
    """A database at this path, whose one store has this many plants; made where it is missing."""
    if not database.exists():
        with closing(open_administration(f"sqlite:///{database}")) as administration:
            administration.create_store(STORE)
        with closing(apsw.Connection(str(database))) as connection:
            _fill(connection, plants)
    return database


def _fill(connection: apsw.Connection, plants: int) -> None:
    # Nothing of it needs to outlive a crash, and a WAL would take as much room again.
    connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    with connection:
        connection.execute(_FILL, (STORE, plants, SPACING))
        connection.execute("UPDATE stores SET revision = ?", (plants,))
    connection.execute("PRAGMA journal_mode = WAL")
