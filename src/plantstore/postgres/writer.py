"""Group commit over the network: many writes in one round trip and one transaction.

Invariant: a write has an outcome only after its commit, and a store's writes are applied in their
order of arrival: while some are in flight, later writes wait. A batch whose connection was lost may
still commit after later batches: its outcome is unknown.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
import psycopg
from msgspec.structs import asdict
from psycopg import AsyncConnection
from psycopg.errors import DataError, IntegrityError, LockNotAvailable
from psycopg.types.json import Json

from plantstore.core.clock import now
from plantstore.core.database import Row
from plantstore.core.errors import DatabaseUnavailableError, OutcomeUnknownError
from plantstore.core.model import Outcome
from plantstore.core.operations import Atomic, Delete, Write, Written, refuse_unless_done
from plantstore.core.settings import Settings
from plantstore.core.write_queue import MAX_BATCH, WriteQueue
from plantstore.postgres.batcher import AGAIN, Batcher, Waiting
from plantstore.postgres.pool import Pool
from plantstore.postgres.reading import PostgresSnapshot
from plantstore.sql.migrations import find_newest

_MAX_BATCHES = 4
_MAX_WAITING = 2  # of these, batches of one store that wait for locks
_SCHEMA_INTERVAL_MS = 1000
_APPLYING_SECONDS = 0.0001  # about, for each write
_OUTCOMES = {outcome.value: outcome for outcome in Outcome}
_encode = msgspec.json.Encoder().encode

# Errors of one write; any other error fails the whole batch.
_ERRORS_OF_ONE_WRITE = (DataError, IntegrityError, ValueError, OverflowError)
# SQLSTATE prefixes of a lost server; another server may commit.
_SERVER_LOST = ("08", "57P")
_REFUSED = "PS001"  # of an Atomic: the message from write_batch has the outcomes

Item = Write | Atomic


class Writer(Batcher[Item, Written]):
    """Writes through a pool.

    Stores share the ``queue``. Batches do not wait for locks, except two of one store each: so a
    locked store delays no other. Until it is unlocked, its writes go into batches of their own.
    Open ``snapshots`` get about the number of rows that a commit replaced.
    """

    def __init__(self, pool: Pool, settings: Settings, snapshots: set[PostgresSnapshot]) -> None:
        self.queue = WriteQueue(settings)
        super().__init__(_MAX_BATCHES, self.queue.stores)
        self._pool, self._snapshots = pool, snapshots
        self._timeout = settings.write_timeout
        self._max_wait = f"{min(settings.write_timeout, pool.timeout) * 1000:.0f}ms"
        self._busy: set[int] = set()  # stores whose writes are in flight
        self._waits: set[int] = set()  # of these, stores whose batch waits for locks
        self._locked: set[int] = set()  # stores that were locked, until a batch is committed
        self._newest = find_newest("plantstore.postgres")
        self._schema_read_at = 0

    def submit(self, item: Item) -> "asyncio.Future[Written]":
        self.queue.enter(item.store_id)
        return super().submit(item)

    def next_batch(self) -> list[Waiting[Item, Written]]:
        """The oldest writes that can share a batch, by store, in their order of arrival."""
        batch: list[Waiting[Item, Written]] = []
        costs, deadline = Counter[int](), self._loop.time() - self._timeout
        for store_id, queue in sorted(self.waiting.items(), key=lambda item: item[1][0].arrived):
            first = batch[0].item.store_id if batch else store_id
            is_alone = self._separates_stores or not self._locked.isdisjoint((store_id, first))
            is_apart = store_id in self._busy or (is_alone and store_id != first)
            is_apart |= store_id in self._locked and len(self._waits) == _MAX_WAITING
            while queue:
                if not queue[0].future.done():  # else it was cancelled
                    if queue[0].arrived < deadline:
                        queue[0].future.settle(DatabaseUnavailableError())
                    elif is_apart or not self._fits(queue[0].item, batch, costs):
                        break
                    else:
                        batch.append(queue[0])
                queue.popleft()
            if not queue:
                del self.waiting[store_id]
        self.queue.note_batch(costs)
        stores = {waiting.item.store_id for waiting in batch}
        self._busy |= stores
        self._waits |= stores if len(stores) == 1 and len(self._waits) < _MAX_WAITING else set()
        return sorted(batch, key=lambda waiting: waiting.item.store_id)

    def _fits(
        self, item: Item, batch: Sequence[Waiting[Item, Written]], costs: Counter[int]
    ) -> bool:
        if batch and Atomic in (type(item), type(batch[0].item)):
            return False
        return len(batch) < MAX_BATCH and self.queue.try_leave(item.store_id, item, costs)

    async def run(self, items: Sequence[Item]) -> Sequence[Written | Exception]:
        """The outcomes of the writes, after their commit."""
        stores = {item.store_id for item in items}
        try:
            outcomes = await self._commit(items, waits=items[0].store_id in self._waits)
        except _ERRORS_OF_ONE_WRITE:
            # One write caused it, and must not fail the others.
            outcomes = [await self._write_alone(item) for item in items]
        finally:
            self._busy -= stores
            self._waits -= stores
        written = zip(items, outcomes, strict=True)
        locked = {item.store_id for item, outcome in written if outcome is AGAIN}
        self._locked = self._locked - stores | locked
        self._pool.availability.note_write()
        return outcomes

    async def _write_alone(self, item: Item) -> Written | Exception:
        try:
            return (await self._commit([item], waits=True))[0]
        except Exception as error:  # noqa: BLE001 - it is the outcome of this write
            return error

    async def _commit(self, items: Sequence[Item], *, waits: bool) -> Sequence[Written | Exception]:
        """The outcomes of the items; an ``Atomic`` is alone in its batch."""
        atomic = items[0] if isinstance(items[0], Atomic) else None
        writes: Sequence[Any] = items if atomic is None else atomic.writes
        async with self._pool.acquire(2 * self._pool.timeout) as connection:
            began = time.perf_counter()
            try:
                await self._require_schema(connection)
                max_wait = self._max_wait if waits else None
                arguments = to_arguments(writes, max_wait, is_atomic=atomic is not None)
                sql = self._pool.sql["write_batch"]
                cursor = await connection.execute(sql, arguments, binary=True)
                ((results,),) = await cursor.fetchall()
                outcomes = read_outcomes(results)
            except _ERRORS_OF_ONE_WRITE:
                raise
            except LockNotAvailable as error:
                self._locked.update(item.store_id for item in items)
                if waits:
                    raise self._pool.availability.refuse_locked(items[0].store_id, error) from error
                return [AGAIN] * len(items)
            except psycopg.Error as error:
                if error.sqlstate == _REFUSED:
                    refuse_unless_done(read_outcomes(str(error.diag.message_primary).split(",")))
                raise await self._explain(connection, error) from error
            finally:
                if atomic is not None:
                    atomic.seconds = time.perf_counter() - began
        count = len(writes) - outcomes.count(AGAIN)
        applying = _APPLYING_SECONDS * len(writes)
        self.queue.note_commit(writes, outcomes, count, time.perf_counter() - began, applying)
        made = [it[0] for it in outcomes if it is not AGAIN]
        replaced = made.count(Outcome.UPDATED) + made.count(Outcome.DELETED)
        for snapshot in self._snapshots if replaced or Outcome.CREATED in made else ():
            snapshot.note_dead_rows(replaced + 1)  # the store's, too
        return outcomes if atomic is None else outcomes[-1:]

    async def _require_schema(self, connection: AsyncConnection) -> None:
        """Refuse the batch if a newer program migrated the database; look once a second.

        :raises DatabaseUnavailableError: one did.
        """
        at = now()
        if abs(at - self._schema_read_at) >= _SCHEMA_INTERVAL_MS:
            read = await connection.execute(self._pool.sql["find_compatible_since"], binary=True)
            if (await read.fetchall())[0][0] > self._newest:
                raise self._pool.availability.refuse(None)
            self._schema_read_at = at

    async def _explain(self, connection: AsyncConnection, error: psycopg.Error) -> Exception:
        if connection.broken or (error.sqlstate or "").startswith(_SERVER_LOST):
            self._pool.availability.fail("the connection was lost in a commit", error)
            return OutcomeUnknownError()
        # The server has rolled back. Another server may accept the write: a demoted primary keeps
        # its connections.
        await connection.close()
        return self._pool.availability.refuse(error)


def to_arguments(writes: Sequence[Write], max_wait: str | None, *, is_atomic: bool) -> Row:
    """The arguments of ``write_batch`` for writes that are made now, grouped by store."""
    rows = list(map(_to_row, writes))
    rows[0]["is_atomic"] = is_atomic
    return writes[0].store_id, Json(rows, _encode), now(), max_wait  # as a str it would be copied


def _to_row(write: Write) -> dict[str, object]:
    """The write as a row for ``write_batch``, with NULL for missing values."""
    caller = write.caller
    row: dict[str, object] = {
        "kind": type(write).__name__,
        "store_id": write.store_id,
        "user_id": caller.user_id,
        "token_label": caller.token_label,
        "token_store_id": caller.token_store_id,
        "token_hash": caller.token_hash.hex(),
    }
    if isinstance(write, Delete):
        row["id"] = write.plant_id
    else:
        row |= asdict(write.plant)
    if write.precondition is not None:
        row |= asdict(write.precondition)
    if write.key is not None:
        row |= {"key": write.key.key, "fingerprint": write.key.fingerprint.hex()}
    return row


def read_outcomes(results: Sequence[str]) -> Sequence[Any]:
    """The outcomes in a result of ``write_batch``."""
    pairs = (result.split() for result in results)
    return [(_OUTCOMES[it], int(number)) if it != "locked" else AGAIN for it, number in pairs]
