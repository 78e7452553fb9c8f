"""Finds callers: those requested while a look-up is in flight form the next one.

Each look-up begins after its requests have arrived, so its result is current.
"""

from collections.abc import Sequence

from msgspec import Struct

from plantstore.model import Caller, Role, permissions_of
from plantstore.postgres.batcher import Batcher
from plantstore.postgres.pool import Pool, Query
from plantstore.sql.scopes import from_text
from plantstore.sql.session import Row
from plantstore.sql.token_uses import TokenUses

_MAX_BATCHES = 2


class Credentials(Struct, frozen=True):
    """A token's hash with its store's number, and the name of the requested store, if any."""

    store_id: int
    token_hash: bytes
    store_name: str | None


class Callers(Batcher[Credentials, Caller | None]):
    """Look-ups with the named queries ``sql``; ``uses`` notes the tokens."""

    def __init__(self, pool: Pool, sql: dict[str, str], max_waiting: int, uses: TokenUses) -> None:
        super().__init__(_MAX_BATCHES, max_waiting)
        self._uses = uses
        self._pool = pool
        self._sql = sql

    async def run(self, items: Sequence[Credentials]) -> Sequence[Caller | None]:
        """The callers, None where there is no such token."""
        distinct = list(dict.fromkeys(items))
        own = [one for one in distinct if one.store_name is None]
        named = [one for one in distinct if one.store_name is not None]
        queries: list[Query] = []
        if own:
            queries.append((self._sql["find_callers"], _arrays(own)[:2]))
        if named:
            queries.append((self._sql["find_callers_of_named_stores"], _arrays(named)))
        found: dict[Credentials, Caller] = {}
        results = await self._pool.read(*queries)
        for part, rows in zip([part for part in (own, named) if part], results, strict=True):
            for row in rows:
                credentials = part[row[0] - 1]
                caller = _to_caller(credentials, row)
                found[credentials] = caller
                self._uses.note(credentials.store_id, credentials.token_hash, caller.expires_at)
        return [found.get(one) for one in items]


def _arrays(credentials: Sequence[Credentials]) -> tuple[list[object], ...]:
    return (
        [one.store_id for one in credentials],
        [one.token_hash for one in credentials],
        [one.store_name for one in credentials],
    )


def _to_caller(credentials: Credentials, row: Row) -> Caller:
    _, user_id, label, expires_at, store_id, role_name, scopes, revision = row
    who = (credentials.store_id, credentials.token_hash, user_id, label, expires_at)
    role = None if role_name is None else Role(role_name)
    return Caller(*who, store_id, role, permissions_of(role, from_text(scopes)), revision)


def again_arguments(callers: Sequence[Caller]) -> tuple[object, ...]:
    """The arguments of the query that finds these callers again."""
    return (
        [caller.token_store_id for caller in callers],
        [caller.token_hash for caller in callers],
        [caller.store_id for caller in callers],
    )


def to_callers_again(callers: Sequence[Caller], rows: Sequence[Row]) -> Sequence[Caller | None]:
    """What the query found, for each of the callers."""
    found: list[Caller | None] = [None] * len(callers)
    for row in rows:
        before = callers[row[0] - 1]
        credentials = Credentials(before.token_store_id, before.token_hash, None)
        found[row[0] - 1] = _to_caller(credentials, row)
    return found
