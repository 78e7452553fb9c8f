"""The audit trail: who changed what, by a command or over HTTP, and from where.

Invariants: a row is written in the transaction of its change. Rows have users' numbers, so that no
name of an erased user remains.
"""

import msgspec
from msgspec import Struct

from plantstore.core.clock import now
from plantstore.sql.session import Queries

_NAMES_OF_USERS = ("user", "new_subject")


class Actor(Struct, frozen=True):
    """Who made a change: over HTTP a user with a token; in a command the system user ``name``."""

    address: str
    user_id: int | None = None
    token_id: str | None = None
    name: str | None = None


def write_audit(
    session: Queries, by: Actor, action: str, store: object, user_id: object, **details: object
) -> None:
    """Add a row, about a user if there is one; details of None are omitted."""
    kept = {key: it for key, it in details.items() if it is not None and key not in _NAMES_OF_USERS}
    change = (now(), action, store, user_id, msgspec.json.encode(kept).decode())
    session.query("insert_audit", *change, by.user_id, by.name, by.token_id, by.address)
