"""Finds callers and reads plants: requests that arrive during a round trip share the next.

A lookup of callers begins after its requests have arrived, so its result is current. If stores are
separated, each has at most one lookup in flight. Equal reads run once: after a write, all clients
that list the store request the same page. Stores share reads by the rule of all pools.
"""

import asyncio
import logging
import math
from collections.abc import Hashable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from itertools import islice

import psycopg
from msgspec import Struct
from msgspec.structs import astuple

from plantstore.core.database import Row
from plantstore.core.errors import DatabaseUnavailableError
from plantstore.core.fair_queue import NETWORKS, Active
from plantstore.core.model import Caller
from plantstore.core.pools import Pool as Shares
from plantstore.postgres.batcher import Batcher, Waiting
from plantstore.postgres.pool import Pool, disconnect
from plantstore.sql.reading import Query, SnapshotReads, to_caller
from plantstore.sql.token_uses import TokenUses

logger = logging.getLogger(__name__)

_MAX_LOOK_UPS = 2
_MAX_READS = 4
_SHORT = 0.002  # seconds of a batch that cost nothing, besides the least: those of the network
_SHARE, _CREDIT = 1 / 4, 0.5  # seconds, which is also the longest rest
_MAX_DEAD_ROWS, _LEAST_SECONDS = 4_000, 15.0  # that a snapshot keeps after so long


class Credentials(Struct, frozen=True):
    """A token's store and hash, and the requested store's name or number, if any."""

    store_id: int
    token_hash: bytes
    requested_name: str | None = None
    requested_id: int | None = None


class Callers(Batcher[Credentials, Caller | None]):
    """Looks up callers; ``uses`` records their tokens, and ``stores`` their stores."""

    def __init__(self, pool: Pool, uses: TokenUses) -> None:
        super().__init__(_MAX_LOOK_UPS, Active())
        self._uses = uses
        self._pool = pool
        self._busy: set[int] = set()  # separated stores that have a lookup in flight

    def next_batch(self) -> list[Waiting[Credentials, Caller | None]]:
        """All waiting items; if stores are separated, those of the longest waiting store."""
        if not self._separates_stores:
            return super().next_batch()
        store_id = next((it for it in self.waiting if it not in self._busy), None)
        if store_id is None:
            return []
        self._busy.add(store_id)
        return list(self.waiting.pop(store_id))

    async def run(self, items: Sequence[Credentials]) -> Sequence[Caller | None]:
        """The callers, None where there is no such token."""
        try:
            callers = await self._look_up(list(dict.fromkeys(items)))
        finally:
            self._busy.discard(items[0].store_id)
        for key, caller in callers.items():
            self.stores.see(key.store_id)
            self._uses.record(key.store_id, key.token_hash, caller.expires_at)
        return [callers.get(key) for key in items]

    async def find_again(self, callers: Sequence[Caller]) -> Sequence[Caller | None]:
        """See ``Database.find_callers_again``."""
        keys = [Credentials(it.token_store_id, it.token_hash, None, it.store_id) for it in callers]
        current = await self._look_up(keys) if keys else {}
        members = {key: caller for key, caller in current.items() if caller.role is not None}
        return [members.get(key) for key in keys]

    async def _look_up(self, keys: Sequence[Credentials]) -> Mapping[Credentials, Caller]:
        """Look up the callers of tokens, all in one round trip."""
        own = [it.store_id for it in keys if (it.requested_name, it.requested_id) == (None, None)]
        # Several tokens of a store share its revision and members, which may have many dead rows.
        is_simple = self._separates_stores or len(set(own)) == len(own)
        columns = tuple(list(column) for column in zip(*map(astuple, keys), strict=True))
        is_own = is_simple and len(own) == len(keys)
        query = ("find_callers", columns[:2]) if is_own else ("find_callers_in_stores", columns)
        (rows,) = await self._pool.read(query)
        of_keys = ((keys[number - 1], row) for number, *row in rows)
        return {key: to_caller(key.store_id, key.token_hash, row) for key, row in of_keys}


def _store_of(query: Query) -> Hashable:
    """Whose share of the reads it takes: all clients without a known token have one share."""
    first = query[1][0] if query[1] else query[0]
    return NETWORKS if isinstance(first, bytes) else first


class Reads(Batcher[Query, Sequence[Row]]):
    """Runs queries of stores, at most ``max_batch_size`` different ones at once.

    A query's first argument, if any, is the store, or the hash of a token whose store is unknown.
    While several stores are active, a store rests after long batches: it takes at most a share of a
    connection's time, after some credit.
    """

    store_of = staticmethod(_store_of)

    def __init__(self, pool: Pool, max_batch_size: int, stores: Active) -> None:
        super().__init__(_MAX_READS, stores, shared=0.0)  # a batch of lookups ends at once
        self._pool = pool
        self._max_batch_size = max_batch_size
        self._shares = Shares("reads", _MAX_READS)
        self._rests: dict[Hashable, float] = {}  # until when, by store
        self._least = math.inf  # seconds of a batch

    def next_batch(self) -> list[Waiting[Query, Sequence[Row]]]:
        """The reads of the store that has waited longest and may take more."""
        now, several = self._loop.time(), self.stores.are_several
        self._rests = {it: at for it, at in self._rests.items() if several and at > now - _CREDIT}
        rested = [it for it in self.waiting if self._rests.get(it, 0.0) <= now]
        if not rested and self.waiting:
            self._loop.call_at(min(map(self._rests.__getitem__, self.waiting)), self._send)
        store_id = next(filter(self._shares.try_acquire, rested), None)
        queue = self.waiting.pop(store_id, ())
        taken = set(islice(dict.fromkeys(waiting.item for waiting in queue), self._max_batch_size))
        if later := [waiting for waiting in queue if waiting.item not in taken]:
            self.waiting[store_id].extend(later)  # after the other stores
        return [waiting for waiting in queue if waiting.item in taken]

    async def run(self, items: Sequence[Query]) -> Sequence[Sequence[Row]]:
        reads, store_id, began = list(dict.fromkeys(items)), _store_of(items[0]), self._loop.time()
        try:
            tables = await self._pool.read(*reads)
            seconds = self._loop.time() - began
            self._least = min(1.001 * self._least, seconds)  # another server may be farther away
            if len(items) > 1 or store_id in self.waiting:  # it reads more than one after another
                until = max(self._rests.get(store_id, 0.0), began - _CREDIT)
                until += max(seconds - self._least - _SHORT, 0.0) / _SHARE
                self._rests[store_id] = min(until, self._loop.time() + _CREDIT)
        finally:
            self._shares.release(store_id)
        tables_of = dict(zip(reads, tables, strict=True))
        return [tables_of[item] for item in items]


class PostgresSnapshot(SnapshotReads):
    """A store as it was at one moment, in a transaction of its own, for a long list.

    While it is open, it is among the ``opened``.
    """

    def __init__(self, store_id: int, pool: Pool, opened: "set[PostgresSnapshot]") -> None:
        super().__init__(store_id)
        self._pool, self._opened = pool, opened
        self._loop = asyncio.get_running_loop()
        self._began, self._dead_rows, self._is_aborted = self._loop.time(), 0, False
        self._stack = AsyncExitStack()
        self._closing = asyncio.Lock()

    async def open(self, max_seconds: float) -> None:
        """Begin the transaction: from now on the snapshot stays as it is."""
        self._connection = await self._stack.enter_async_context(self._pool.acquire(max_seconds))
        self._stack.push_async_callback(self._end)
        self._opened.add(self)
        await self.query("begin_snapshot", ())
        for row in await self.query("find_counts", (self.store_id,)):
            self.revision, *_ = row

    async def close(self) -> None:
        # A shutdown closes it twice: the second call must not interrupt the first.
        async with self._closing:
            await self._stack.aclose()

    def note_dead_rows(self, count: int) -> None:
        """Abort the list after many: others read past the rows that the server keeps for it."""
        self._dead_rows += count
        if self._dead_rows - count < _MAX_DEAD_ROWS <= self._dead_rows:
            self._loop.call_at(self._began + _LEAST_SECONDS, self._abort)  # or now, if it is later

    def _abort(self) -> None:
        if self in self._opened:
            self._is_aborted = True
            logger.warning("aborted a long list: %d rows were replaced meanwhile", self._dead_rows)
            disconnect(self._connection)

    async def _end(self) -> None:
        self._opened.remove(self)
        with suppress(DatabaseUnavailableError):  # the pool drops the connection
            await self.query("end_snapshot", ())

    async def query(self, name: str, arguments: tuple[object, ...]) -> Sequence[Row]:
        deadline = self._loop.call_later(self._pool.timeout, self._pool.abort, self._connection)
        try:
            cursor = self._connection.cursor(binary=True)  # fails on a lost connection
            await cursor.execute(self._pool.sql[name], arguments)
            return await cursor.fetchall() if cursor.description else []
        except psycopg.Error as error:
            if self._is_aborted:
                raise DatabaseUnavailableError from error
            raise self._pool.availability.fail("the database failed", error) from error
        finally:
            deadline.cancel()
