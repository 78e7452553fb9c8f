"""Opens connections to the one of a URL's hosts that takes writes, whatever the others do.

Invariant: a host that is silent delays a connection by half a second at most.
"""

import asyncio
from collections.abc import Iterator, Mapping

import psycopg
from psycopg import AsyncConnection, AsyncRawCursor
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from plantstore.postgres.connection import read_url
from plantstore.sql.queries import load_queries

_ROUND_SECONDS = 0.25
_LISTS = ("host", "hostaddr", "port")  # parameters with a value for each host

Attempt = asyncio.Task[AsyncConnection]


class Hosts:
    """The hosts of a database URL. With ``prepares``, statements are prepared at their first use.

    The host of the last connection is asked first, then all side by side; while one is silent,
    those that refused are asked again: a standby may be promoted meanwhile.
    """

    def __init__(self, url: str, *, prepares: bool) -> None:
        self._conninfos = dict(_split(read_url(url)))  # by the host's name, the last one first
        self._prepare_threshold = 0 if prepares else None
        self._plan_lookups = load_queries("plantstore.postgres")["plan_lookups"]
        self._loop = asyncio.get_running_loop()

    async def connect(self, seconds: float) -> AsyncConnection:
        """A connection to a host that accepts one.

        :raises psycopg.OperationalError: all refused, or none accepted within so many seconds; the
            message says of each host why.
        """
        deadline = self._loop.time() + seconds
        attempts: dict[str, Attempt] = {}
        failures: dict[str, BaseException] = {}
        asked = set(list(self._conninfos)[:1])
        try:
            while True:
                for name in asked - attempts.keys():
                    attempts[name] = self._loop.create_task(self._open(name))
                left = deadline - self._loop.time()
                await asyncio.wait(attempts.values(), timeout=min(max(left, 0), _ROUND_SECONDS))
                connection = self._take(attempts, failures)
                if connection is not None:
                    return connection
                asked = set(self._conninfos)
                if left <= 0 or not (attempts or asked - failures.keys()):
                    raise _failure(failures, attempts)
        finally:
            for attempt in attempts.values():
                attempt.add_done_callback(_close)
                attempt.cancel()

    def _take(
        self, attempts: dict[str, Attempt], failures: dict[str, BaseException]
    ) -> AsyncConnection | None:
        """The connection of an attempt that succeeded; those that failed become failures."""
        for name in [name for name in attempts if attempts[name].done()]:
            attempt = attempts.pop(name)
            failure = attempt.exception()
            if failure is None:
                self._conninfos = {name: self._conninfos[name], **self._conninfos}
                return attempt.result()
            failures[name] = failure
        return None

    async def _open(self, name: str) -> AsyncConnection:
        connection = await AsyncConnection.connect(
            self._conninfos[name],
            autocommit=True,
            cursor_factory=AsyncRawCursor,
            prepare_threshold=self._prepare_threshold,
        )
        try:
            await connection.execute(self._plan_lookups)
        except BaseException:
            await connection.close()
            raise
        return connection


def _split(conninfo: str) -> Iterator[tuple[str, str]]:
    """The name and the connection string of each host."""
    given = conninfo_to_dict(conninfo)
    lists = {key: str(given[key]).split(",") for key in _LISTS if key in given}
    for number in range(max(map(len, lists.values()), default=1)):
        one = {key: values[number % len(values)] for key, values in lists.items()}
        name = f"{one.get('host') or one.get('hostaddr') or 'localhost'}:{one.get('port', 5432)}"
        yield name, make_conninfo(conninfo, **one)


def _failure(
    failures: Mapping[str, BaseException], silent: Mapping[str, Attempt]
) -> psycopg.OperationalError:
    causes = {**dict.fromkeys(silent, "timeout"), **failures}
    return psycopg.OperationalError("; ".join(f"{name}: {cause}" for name, cause in causes.items()))


def _close(attempt: Attempt) -> None:
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().pgconn.finish()
