"""Writes to store 1, by its owner, past HTTP."""

import apsw

from plantstore.core.database import Create
from plantstore.core.model import Caller, IdempotencyKey, NewPlant, Role, Scope

TOKEN_HASH = bytes(32)
ADA = Caller(
    token_store_id=1,
    token_hash=TOKEN_HASH,
    user_id=1,
    token_label="",
    expires_at=None,
    store_id=1,
    role=Role.OWNER,
    permissions=frozenset(Scope),
    revision=0,
    principal=(1, 1),
)


def create(plant_id: int, key: str | None = None, body: bytes = b"body") -> Create:
    found = None if key is None else IdempotencyKey(key, body.ljust(32))
    return Create(1, ADA, NewPlant(plant_id, "Ficus"), found)


def count(connection: apsw.Connection, table: str) -> int:
    found: int = connection.execute(f"SELECT count(*) FROM {table}").get
    return found
