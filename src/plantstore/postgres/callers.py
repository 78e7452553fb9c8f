"""Finds callers: all that are asked for while a look-up is under way make the next one.

Each look-up begins after the requests that it is for have come: what it finds is as it is now.
"""

from collections.abc import Sequence

from msgspec import Struct

from plantstore.model import Caller, Role, permissions_of
from plantstore.postgres.connections import Asked, Connections
from plantstore.postgres.grouping import Grouping
from plantstore.sql.scopes import from_text
from plantstore.sql.session import Row

_MOST_GROUPS = 2


class Credentials(Struct, frozen=True):
    """A token's hash with its store's number, and the name of the store asked for, if any."""

    store_id: int
    token_hash: bytes
    store_name: str | None


class Callers(Grouping[Credentials, Caller | None]):
    """Look-ups with the named queries ``sql``."""

    def __init__(self, connections: Connections, sql: dict[str, str], most_waiting: int) -> None:
        super().__init__(_MOST_GROUPS, most_waiting)
        self._connections = connections
        self._sql = sql

    async def run(self, items: Sequence[Credentials]) -> Sequence[Caller | None]:
        """The callers, None where there is no such token."""
        distinct = list(dict.fromkeys(items))
        own = [asked for asked in distinct if asked.store_name is None]
        named = [asked for asked in distinct if asked.store_name is not None]
        queries: list[Asked] = []
        if own:
            queries.append((self._sql["find_callers"], _arrays(own)[:2]))
        if named:
            queries.append((self._sql["find_callers_of_named_stores"], _arrays(named)))
        found: dict[Credentials, Caller] = {}
        answers = await self._connections.read(*queries)
        for asked, rows in zip([part for part in (own, named) if part], answers, strict=True):
            found |= {asked[row[0] - 1]: _to_caller(row) for row in rows}
        return [found.get(asked) for asked in items]


def _arrays(asked: Sequence[Credentials]) -> tuple[list[object], ...]:
    return (
        [one.store_id for one in asked],
        [one.token_hash for one in asked],
        [one.store_name for one in asked],
    )


def _to_caller(row: Row) -> Caller:
    _, user_id, label, expires_at, store_id, role_name, scopes, revision = row
    role = None if role_name is None else Role(role_name)
    permissions = permissions_of(role, from_text(scopes))
    return Caller(user_id, label, expires_at, store_id, role, permissions, revision)
