"""Finds callers where tokens and members are distributed: each look-up is of one store.

A token for all stores may open one whose rows are on another server than its own: what it is, and
what its user may do there, are two look-ups.

Invariant: of each store at most one look-up is in flight: while a server is silent, its stores do
not delay the callers of others.
"""

from collections.abc import Mapping, Sequence

from plantstore.database import Row
from plantstore.model import Caller
from plantstore.postgres.batcher import Waiting
from plantstore.postgres.callers import Callers, Credentials
from plantstore.postgres.pool import Pool
from plantstore.sql.reading import to_caller
from plantstore.sql.token_uses import TokenUses

Wanted = tuple[Credentials, int | None]  # a token, and the store that its caller is wanted for


class CitusCallers(Callers):
    """See ``Callers``."""

    max_batches = 6

    def __init__(self, pool: Pool, sql: dict[str, str], max_waiting: int, uses: TokenUses) -> None:
        super().__init__(pool, sql, max_waiting, uses)
        self._busy: set[int] = set()  # stores of which a look-up is in flight

    def next_batch(self) -> list[Waiting[Credentials, Caller | None]]:
        """The callers with tokens of the store that has waited longest."""
        waiting = self._waiting
        free = (one.item.store_id for one in waiting if one.item.store_id not in self._busy)
        store_id = next(free, None)
        if store_id is None:
            return []
        self._busy.add(store_id)
        self._waiting = [one for one in waiting if one.item.store_id != store_id]
        return [one for one in waiting if one.item.store_id == store_id]

    async def run(self, items: Sequence[Credentials]) -> Sequence[Caller | None]:
        """See ``Callers``."""
        try:
            return await super().run(items)
        finally:
            self._busy.discard(items[0].store_id)

    async def look_up(self, distinct: Sequence[Credentials]) -> Mapping[Credentials, Caller]:
        """See ``Callers``."""
        own = [one for one in distinct if one.store_name is None]
        found = await self._read_each("find_callers", [(one, _key(one)) for one in own])
        callers = {one: to_caller(*_key(one), row) for one, row in found.items()}
        named = [one for one in distinct if one.store_name is not None]
        if named:
            names = list({one.store_name for one in named})
            (rows,) = await self._pool.read((self._sql["find_store_ids"], (names,)))
            stores = {row[0]: row[1] for row in rows}
            callers |= await self._find([(one, stores.get(one.store_name)) for one in named])
        return callers

    async def find_again(self, callers: Sequence[Caller]) -> Sequence[Caller | None]:
        """See ``Callers``."""
        wanted = [
            (Credentials(one.token_store_id, one.token_hash, str(one.store_id)), one.store_id)
            for one in callers
        ]
        found = await self._find(wanted)
        again = [found.get(credentials) for credentials, _ in wanted]
        return [None if one is None or one.role is None else one for one in again]

    async def _find(self, wanted: Sequence[Wanted]) -> dict[Credentials, Caller]:
        """The callers of the tokens that there are; without a role where they do not open it."""
        tokens = await self._read_each("find_token_of_key", [(one, _key(one)) for one, _ in wanted])
        opened = [
            (one, (store_id, tokens[one][0]))
            for one, store_id in wanted
            if one in tokens and (tokens[one][-1] or store_id == one.store_id)
        ]
        roles = await self._read_each("find_revision_and_role", opened)
        callers = {}
        for one, (*who, scopes, _) in tokens.items():
            store_id, role, revision = roles.get(one, (0, None, 0))
            callers[one] = to_caller(*_key(one), (*who, store_id, role, scopes, revision))
        return callers

    async def _read_each(
        self, name: str, items: Sequence[tuple[Credentials, tuple[object, ...]]]
    ) -> dict[Credentials, Row]:
        """The row of the query for the arguments of each token, where there is one."""
        if not items:
            return {}
        sql = self._sql[name]
        results = await self._pool.read(*((sql, arguments) for _, arguments in items))
        return {one: rows[0] for (one, _), rows in zip(items, results, strict=True) if rows}


def _key(one: Credentials) -> tuple[int, bytes]:
    return one.store_id, one.token_hash
