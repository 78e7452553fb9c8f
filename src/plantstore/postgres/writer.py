"""Group commit over the network: many writes in one round trip and one transaction.

Invariant: a write has an outcome only after its commit, and writes of one plant, or with one key,
are committed in the order of their arrival: a batch has at most one of them, and while a store's
writes are in flight, its later ones wait.
"""

import logging
from collections.abc import Sequence

import msgspec
import psycopg
from msgspec import Struct
from psycopg import AsyncConnection
from psycopg.errors import DataError, IntegrityError, LockNotAvailable

from plantstore.clock import now
from plantstore.errors import DatabaseUnavailableError, OutcomeUnknownError
from plantstore.model import Outcome
from plantstore.postgres.connections import Connections, unavailable
from plantstore.postgres.grouping import Grouping, Waiting
from plantstore.settings import Settings
from plantstore.sql.writes import KEY_LIFETIME_MS, Create, Write

logger = logging.getLogger(__name__)

_MOST_GROUPS = 4
_MOST_IN_GROUP = 500
_PURGE_INTERVAL_MS = 60_000
_OF_LATE_SECONDS = 5.0
_encode = msgspec.json.Encoder().encode

# These are one write's fault; any other error befalls a batch as a whole.
_FAULTS_OF_ONE = (DataError, IntegrityError, ValueError, OverflowError)


class Writer(Grouping[Write, Outcome]):
    """Writes with the named queries ``sql``."""

    def __init__(self, connections: Connections, sql: dict[str, str], settings: Settings) -> None:
        super().__init__(_MOST_GROUPS, settings.max_writes)
        self._connections = connections
        self._sql = sql
        self._patience = settings.write_timeout
        self._answer_seconds = settings.database_timeout
        self._lock_seconds = min(settings.write_timeout, settings.database_timeout)
        self._lock_limit = f"{self._lock_seconds * 1000:.0f}ms"
        self._busy: set[int] = set()  # stores whose writes are under way
        self._purged_at = 0
        self._failed_at: float | None = None

    def demand_working(self) -> None:
        """Return where writes have not failed of late.

        :raises DatabaseUnavailableError: they have.
        """
        if self._failed_at is not None and self._loop.time() - self._failed_at < _OF_LATE_SECONDS:
            raise DatabaseUnavailableError

    def take(self) -> list[Waiting[Write, Outcome]]:
        """The oldest writes that may go together, at most one for each plant and each key."""
        group: list[Waiting[Write, Outcome]] = []
        later: list[Waiting[Write, Outcome]] = []
        taken: set[object] = set()
        oldest = self._loop.time() - self._patience
        for waiting in self._waiting:
            if waiting.arrived < oldest:
                _give_up(waiting)
                continue
            if waiting.item.store_id in self._busy or len(group) == _MOST_IN_GROUP:
                later.append(waiting)
                continue
            names = _names(waiting.item)
            (group if taken.isdisjoint(names) else later).append(waiting)
            taken.update(names)  # also of one that waits: those that come after it wait too
        self._waiting = later
        self._busy.update(waiting.item.store_id for waiting in group)
        return group

    async def run(self, items: Sequence[Write]) -> Sequence[Outcome | Exception]:
        """The outcomes of the writes, after their commit."""
        try:
            outcomes = await self._write(items)
        except (DatabaseUnavailableError, OutcomeUnknownError) as error:
            # That somebody holds one store up says nothing of the others.
            if not isinstance(error.__cause__, LockNotAvailable):
                self._failed_at = self._loop.time()
            raise
        finally:
            self._busy.difference_update(write.store_id for write in items)
        self._failed_at = None
        return outcomes

    async def _write(self, writes: Sequence[Write]) -> Sequence[Outcome | Exception]:
        try:
            return await self._commit(writes)
        except _FAULTS_OF_ONE:
            # One of them is at fault: it must not fail its neighbours.
            return [await self._write_alone(write) for write in writes]

    async def _write_alone(self, write: Write) -> Outcome | Exception:
        try:
            return (await self._commit([write]))[0]
        except Exception as error:  # noqa: BLE001 - its own, whatever became of the others
            return error

    async def _commit(self, writes: Sequence[Write]) -> Sequence[Outcome]:
        async with self._connections.lent(self._lock_seconds + self._answer_seconds) as connection:
            try:
                return await self._execute(connection, writes)
            except _FAULTS_OF_ONE:
                raise
            except psycopg.Error as error:
                raise await self._explain(connection, error) from error

    async def _execute(
        self, connection: AsyncConnection, writes: Sequence[Write]
    ) -> Sequence[Outcome]:
        """All statements in one message, which the server takes for one transaction."""
        at = now()
        oldest_key = at - KEY_LIFETIME_MS
        stores = [sorted({write.store_id for write in writes})]
        batch = (_encode(list(map(_to_row, writes))).decode(), at, oldest_key)
        purges = abs(at - self._purged_at) >= _PURGE_INTERVAL_MS
        async with connection.pipeline():
            await connection.execute(self._sql["begin_batch"], [self._lock_limit])
            await connection.execute(self._sql["lock_stores"], stores)
            cursor = await connection.execute(self._sql["write_batch"], batch, binary=True)
            if purges:
                purge = await connection.execute(self._sql["delete_old_keys"], [oldest_key])
        if purges and not purge.rowcount:  # else there may be more, for the next batch
            self._purged_at = at
        outcomes: dict[int, str] = dict(await cursor.fetchall())
        return [Outcome(outcomes[number]) for number in range(1, len(writes) + 1)]

    async def _explain(self, connection: AsyncConnection, error: psycopg.Error) -> Exception:
        if connection.broken:
            logger.error("a batch was under way when the database was lost: %s", error)
            return OutcomeUnknownError()
        # The server has told that it rolled back. What it refused, another one may take: a
        # primary that became a standby keeps its connections.
        await connection.close()
        return unavailable(error)


def _names(write: Write) -> set[object]:
    """What no other write of the same batch may have."""
    if not isinstance(write, Create):
        return {(write.store_id, write.plant_id)}
    names: set[object] = {(write.store_id, write.plant.id)}
    if write.key is not None:
        names.add((write.store_id, write.caller.user_id, write.key.key))
    return names


class _Row(Struct):
    """A write as ``write_batch`` reads it."""

    store_id: int
    id: int
    name: str | None
    tag: str | None
    user_id: int
    token_label: str
    key: str | None
    fingerprint: str | None


def _to_row(write: Write) -> _Row:
    who = (write.caller.user_id, write.caller.token_label)
    if not isinstance(write, Create):
        return _Row(write.store_id, write.plant_id, None, None, *who, None, None)
    plant, key = write.plant, write.key
    once = (None, None) if key is None else (key.key, key.fingerprint.hex())
    return _Row(write.store_id, plant.id, plant.name, plant.tag, *who, *once)


def _give_up(waiting: Waiting[Write, Outcome]) -> None:
    if not waiting.future.done():
        waiting.future.set_exception(DatabaseUnavailableError())
