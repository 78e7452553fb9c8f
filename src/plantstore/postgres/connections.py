"""Lends connections to the event loop, each for one short piece of work with a deadline.

Invariant: nothing is waited for beyond its deadline, even where the server, or the network to
it, has gone silent: the connection is cut then, which ends the wait.
"""

import asyncio
import logging
import os
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

import psycopg
from psycopg import AsyncConnection, AsyncRawCursor
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from plantstore.errors import DatabaseUnavailableError
from plantstore.postgres.connection import read_url
from plantstore.settings import Settings
from plantstore.sql.session import Row

logger = logging.getLogger(__name__)

# The pool gives an attempt up so soon because the next one who asks makes it try again.
_RECONNECT_SECONDS = 0.5
_LEAST = 2


class Connections:
    """At most ``most`` connections, lent for at most ``settings.database_timeout`` seconds."""

    def __init__(self, settings: Settings, most: int) -> None:
        self._timeout = settings.database_timeout
        self._loop = asyncio.get_running_loop()
        self._pool = AsyncConnectionPool(
            read_url(settings.database),
            connection_class=AsyncConnection[tuple[object, ...]],
            kwargs={
                "autocommit": True,
                "cursor_factory": AsyncRawCursor,
                "prepare_threshold": 0 if settings.prepare_statements else None,
            },
            min_size=min(_LEAST, most),
            max_size=most,
            timeout=self._timeout,
            reconnect_timeout=_RECONNECT_SECONDS,
            open=False,
        )
        self._opening = self._loop.create_task(self._pool.open())

    @asynccontextmanager
    async def lent(self, seconds: float | None = None) -> AsyncIterator[AsyncConnection]:
        """A connection, cut after so many seconds.

        :raises DatabaseUnavailableError: there is none to be had.
        """
        try:
            await self._opening
            connection = await self._pool.getconn()
        except (PoolTimeout, PoolClosed) as error:
            logger.error("no connection to the database: %s", error)  # noqa: TRY400
            raise DatabaseUnavailableError from error
        deadline = self._loop.call_later(seconds or self._timeout, cut, connection)
        try:
            yield connection
        finally:
            deadline.cancel()
            was_lost = connection.broken
            await self._pool.putconn(connection)
            if was_lost:  # the others may be too
                self._loop.create_task(self._pool.check())

    async def read(self, query: str, arguments: Sequence[object]) -> Sequence[Row]:
        """All rows of a query that changes nothing; asked again where its connection was lost.

        :raises DatabaseUnavailableError: they are not to be had.
        """
        try:
            return await self._read_once(query, arguments)
        except psycopg.OperationalError as error:
            logger.warning("a read is tried again: %s", error)
        try:
            return await self._read_once(query, arguments)
        except psycopg.Error as error:
            raise unavailable(error) from error

    async def _read_once(self, query: str, arguments: Sequence[object]) -> Sequence[Row]:
        async with self.lent() as connection:
            cursor = connection.cursor(binary=True)
            await cursor.execute(query, arguments)
            return await cursor.fetchall()

    async def close(self) -> None:
        """Close all; what is lent out is closed when it comes back."""
        await self._opening
        await self._pool.close()


def unavailable(error: psycopg.Error) -> DatabaseUnavailableError:
    """The port's error for one of PostgreSQL's after which nothing was written."""
    logger.error("the database failed: %s", error)
    return DatabaseUnavailableError()


def cut(connection: AsyncConnection) -> None:
    """End a connection at once, for both sides; whoever waits for it gets an OperationalError."""
    logger.error("the database was too slow: its connection is cut")
    with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as own:
        own.shutdown(socket.SHUT_RDWR)
