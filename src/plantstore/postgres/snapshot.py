"""A store as it was at one moment, in a transaction of its own, for a long list."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress

import psycopg

from plantstore.core.database import Row
from plantstore.core.errors import DatabaseUnavailableError
from plantstore.postgres.pool import Pool
from plantstore.sql.reading import SnapshotReads


class PostgresSnapshot(SnapshotReads):
    """A read transaction."""

    def __init__(self, store_id: int, pool: Pool) -> None:
        super().__init__(store_id)
        self._pool = pool
        self._stack = AsyncExitStack()
        self._closing = asyncio.Lock()

    async def open(self, max_seconds: float) -> None:
        """Begin the transaction: from now on the snapshot stays as it is."""
        acquired = self._pool.acquire(max_seconds)
        self._connection = await self._stack.enter_async_context(acquired)
        self._stack.push_async_callback(self._end)
        await self.query("begin_snapshot", ())
        for row in await self.query("find_counts", (self._store_id,)):
            self.revision, *_ = row

    async def close(self) -> None:
        # A shutdown closes it twice: the second call must not interrupt the first.
        async with self._closing:
            await self._stack.aclose()

    async def _end(self) -> None:
        with suppress(DatabaseUnavailableError):  # the pool drops the connection
            await self.query("end_snapshot", ())

    async def query(self, name: str, arguments: tuple[object, ...]) -> Sequence[Row]:
        loop = asyncio.get_running_loop()
        deadline = loop.call_later(self._pool.timeout, self._pool.abort, self._connection)
        try:
            cursor = self._connection.cursor(binary=True)  # fails on a lost connection
            await cursor.execute(self._pool.sql[name], arguments)
            return await cursor.fetchall() if cursor.description else []
        except psycopg.Error as error:
            raise self._pool.availability.fail("the database failed", error) from error
        finally:
            deadline.cancel()
