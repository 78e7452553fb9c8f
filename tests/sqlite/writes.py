"""Writes to store 1, by its owner, past HTTP."""

from plantstore.core.database import Create
from plantstore.core.model import Caller, NewPlant, Role, Scope

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


def create(plant_id: int) -> Create:
    return Create(1, ADA, NewPlant(plant_id, "Ficus"), None)
