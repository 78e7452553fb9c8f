"""Finds callers: those requested while a look-up is in flight form the next one.

Each look-up begins after its requests have arrived, so its result is current. Where stores are
separated, each has at most one in flight.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from plantstore.core.model import Caller
from plantstore.postgres.batcher import Batcher, Waiting
from plantstore.postgres.pool import Pool, Query
from plantstore.sql.reading import to_caller
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
        self._busy: set[int] = set()  # separated stores that have a look-up in flight

    def next_batch(self) -> list[Waiting[Credentials, Caller | None]]:
        """All that wait; where stores are separated, those of the one that has waited longest."""
        if not self._separates_stores:
            return super().next_batch()
        waiting = self._waiting
        free = (one.item.store_id for one in waiting if one.item.store_id not in self._busy)
        store_id = next(free, None)
        if store_id is None:
            return []
        self._busy.add(store_id)
        self._waiting = [one for one in waiting if one.item.store_id != store_id]
        return [one for one in waiting if one.item.store_id == store_id]

    async def run(self, items: Sequence[Credentials]) -> Sequence[Caller | None]:
        """The callers, None where there is no such token."""
        try:
            found = await self._look_up(list(dict.fromkeys(items)))
        finally:
            self._busy.discard(items[0].store_id)
        for one, caller in found.items():
            self._uses.note(one.store_id, one.token_hash, caller.expires_at)
        return [found.get(one) for one in items]

    async def _look_up(self, distinct: Sequence[Credentials]) -> Mapping[Credentials, Caller]:
        own = [one for one in distinct if one.store_name is None]
        named = [one for one in distinct if one.store_name is not None]
        queries: list[Query] = []
        if own:
            queries.append((self._sql["find_callers"], _arrays(own)[:2]))
        if named:
            queries.append((self._sql["find_callers_of_named_stores"], _arrays(named)))
        results = await self._pool.read(*queries)
        parts = [part for part in (own, named) if part]
        found: dict[Credentials, Caller] = {}
        for part, rows in zip(parts, results, strict=True):
            for number, *row in rows:
                one = part[number - 1]
                found[one] = to_caller(one.store_id, one.token_hash, row)
        return found

    async def find_again(self, callers: Sequence[Caller]) -> Sequence[Caller | None]:
        """Each caller as of now: see ``Database.find_callers_again``."""
        keys = [Credentials(one.token_store_id, one.token_hash, None) for one in callers]
        arguments = (*_arrays(keys)[:2], [one.store_id for one in callers])
        (rows,) = await self._pool.read((self._sql["find_callers_again"], arguments))
        found = {number: row for number, *row in rows}
        return [
            to_caller(one.store_id, one.token_hash, found[number]) if number in found else None
            for number, one in enumerate(keys, 1)
        ]


def _arrays(credentials: Sequence[Credentials]) -> tuple[list[object], ...]:
    return (
        [one.store_id for one in credentials],
        [one.token_hash for one in credentials],
        [one.store_name for one in credentials],
    )
