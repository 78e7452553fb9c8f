"""The contents of a database, read and written without the program."""

from contextlib import closing

import psycopg

from plantstore.core.model import TEXT_LENGTHS
from plantstore.sqlite.connection import connect, database_path
from tests.administration import open_administration
from tests.databases import execute

Rows = list[tuple[object, ...]]

_CONTENTS = ", ".join(TEXT_LENGTHS)
_TABLES = {
    "users": "user_id, subject, created_at",
    "members": "store_id, user_id, role, since, added_by",
    "tokens": "store_id, token_hash, user_id, all_stores, scopes, label, created_at, expires_at, "
    "revoked_at",
    "plants": f"store_id, id, {_CONTENTS}",
    "events": f"store_id, revision, kind, plant_id, {_CONTENTS}, at, user_id, token_label",
    "idempotency_keys": "store_id, user_id, key, fingerprint, outcome, created_at",
}
_STORES = "SELECT store_id, name, created_at, revision FROM stores JOIN revisions USING (store_id)"
_CREATED_AT = 1_700_000_000_000


def contents(url: str) -> dict[str, Rows]:
    """The rows of all tables; equal if the databases have the same contents."""
    tables = {"stores": select(url, _STORES)}
    for table, columns in _TABLES.items():
        tables[table] = select(url, f"SELECT {columns} FROM {table}")
    return {table: sorted(rows, key=_key) for table, rows in tables.items()}


def select(url: str, sql: str) -> Rows:
    if url.startswith("postgres"):
        with psycopg.connect(url) as connection:
            return connection.execute(sql.encode()).fetchall()
    with closing(connect(database_path(url))) as database:
        return [tuple(row) for row in database.execute(sql)]


def seed(url: str, plants: int) -> None:
    """Create a store with many plants, their events, and an idempotency key, fast."""
    with closing(open_administration(url)) as administration:
        store_id = administration.create_store("seeded").store_id
        administration.create_user("sower")
    ids = range(-plants * 7, plants * 7, 14)
    execute(
        url,
        "INSERT INTO plants (store_id, id, name, tag) VALUES ($1, $2, $3, $4)",
        [(store_id, number, f"Plant {number}", f"tag-{number % 5}") for number in ids],
    )
    execute(
        url,
        "INSERT INTO events (store_id, revision, kind, plant_id, name, tag, at, user_id, "
        "token_label) VALUES ($1, $2, 'plant.created', $3, $4, $5, $6, 1, 'sowing')",
        [
            (
                store_id,
                revision,
                number,
                f"Plant {number}",
                f"tag-{number % 5}",
                _CREATED_AT + revision,
            )
            for revision, number in enumerate(ids, 1)
        ],
    )
    execute(
        url,
        "INSERT INTO idempotency_keys (store_id, user_id, key, fingerprint, outcome, created_at) "
        "VALUES ($1, 1, 'key', $2, 'created', 1)",
        [(store_id, b"fingerprint")],
    )
    execute(
        url,
        f"UPDATE revisions SET revision = {plants}, plants = {plants} WHERE store_id = {store_id}",
    )


def _key(row: tuple[object, ...]) -> list[str]:
    return [str(value) for value in row[:3]]
