"""Connections for the event loop, each acquired for a short piece of work with a deadline.

Invariant: no wait lasts beyond its deadline, even if the server or the network is silent: the
connection is then aborted, which ends the wait.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress

import psycopg
from psycopg import AsyncConnection
from psycopg.pq import TransactionStatus

from plantstore.core.database import Row
from plantstore.core.errors import DatabaseUnavailableError
from plantstore.core.settings import Settings
from plantstore.postgres.availability import Availability
from plantstore.postgres.hosts import Hosts
from plantstore.sql.reading import Query


class Pool:
    """Opens at most ``max_connections``, when needed, and keeps them open.

    A connection is waited for, and then held, for at most ``settings.database_timeout`` seconds.
    Successes and failures are reported to ``availability``. ``in_use`` counts the held connections,
    ``idle`` has the others; ``sql`` has the named queries.
    """

    def __init__(
        self, settings: Settings, max_connections: int, hosts: Hosts, availability: Availability
    ) -> None:
        self.availability = availability
        self.sql = hosts.sql
        self._hosts = hosts
        self.timeout = settings.database_timeout
        self._loop = asyncio.get_running_loop()
        self._free = asyncio.Semaphore(max_connections)
        self.idle: list[AsyncConnection] = []
        self.in_use = 0
        self._is_closed = False

    @asynccontextmanager
    async def acquire(self, seconds: float | None = None) -> AsyncIterator[AsyncConnection]:
        """Hold a connection in the block; it is aborted after ``seconds``.

        :raises DatabaseUnavailableError: there is none.
        """
        if not self.availability.is_open:
            raise DatabaseUnavailableError
        try:
            connection = await self._open()
        except (TimeoutError, psycopg.Error) as error:
            raise self.availability.fail("no connection to the database", error) from error
        deadline = self._loop.call_later(seconds or self.timeout, self.abort, connection)
        self.in_use += 1
        try:
            yield connection
        finally:
            self.in_use -= 1
            deadline.cancel()
            await self._release(connection)

    async def _open(self) -> AsyncConnection:
        async with asyncio.timeout(self.timeout):
            await self._free.acquire()
        try:
            while self.idle:
                connection = self.idle.pop()
                if not _is_closed(connection):
                    return connection
                await connection.close()
            return await self._hosts.connect(self.timeout)
        except BaseException:
            self._free.release()
            raise

    async def _release(self, connection: AsyncConnection) -> None:
        is_ready = connection.info.transaction_status is TransactionStatus.IDLE
        try:
            if is_ready and not self._is_closed:
                self.idle.append(connection)
            else:
                await connection.close()
        finally:
            self._free.release()

    async def read(self, *queries: Query) -> Sequence[Sequence[Row]]:
        """The rows of each query, all in one round trip. They must be read-only.

        They are sent again if the connection is lost.

        :raises DatabaseUnavailableError: they cannot be read.
        """
        begun = self._loop.time()
        try:
            try:
                return await self._read_once(queries)
            except psycopg.OperationalError as error:
                if self._loop.time() - begun > self.timeout / 2:
                    raise
                self.availability.warn("retrying a read", error)
            return await self._read_once(queries)
        except psycopg.DataError:  # of an argument: it says nothing about the server
            raise
        except psycopg.Error as error:
            raise self.availability.fail("the database failed", error) from error

    async def _read_once(self, queries: Sequence[Query]) -> Sequence[Sequence[Row]]:
        async with self.acquire() as connection:
            # One query needs no pipeline, which has a cost.
            async with connection.pipeline() if len(queries) > 1 else nullcontext():
                cursors = [
                    await connection.execute(self.sql[name], arguments, binary=True)
                    for name, arguments in queries
                ]
            self.availability.note_read()
            return [await cursor.fetchall() for cursor in cursors]

    def abort(self, connection: AsyncConnection) -> None:
        """Disconnect from a silent server."""
        host = f"{connection.info.host}:{connection.info.port}"
        self.availability.warn("aborting a connection", TimeoutError(f"{host}: timeout"))
        disconnect(connection)
        # All may be connected to the same silent server.
        while self.idle:
            self.idle.pop().pgconn.finish()

    async def close(self) -> None:
        """Close all connections; those in use are closed when they are released."""
        self._is_closed = True
        while self.idle:
            await self.idle.pop().close()


def disconnect(connection: AsyncConnection) -> None:
    """End a connection at once, on both sides; waiters get an OperationalError."""
    with suppress(OSError, psycopg.Error):
        sock = socket.socket(fileno=connection.fileno())  # dup() fails without descriptors
        try:
            sock.shutdown(socket.SHUT_RDWR)
        finally:
            sock.detach()


def _is_closed(connection: AsyncConnection) -> bool:
    """Whether the server closed an idle connection; does not wait.

    A write sent on such a connection would have an unknown outcome.
    """
    try:
        connection.pgconn.consume_input()  # the first may only read the reason
        connection.pgconn.consume_input()
    except psycopg.OperationalError:
        return True
    return False
