"""Connects to the host of a URL that accepts writes, whatever state the others are in.

Invariant: a silent host delays a connection by half a second at most.
"""

import asyncio
import logging
from collections.abc import Iterable, Iterator, Mapping

import psycopg
from psycopg import AsyncConnection, AsyncRawCursor
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import ConnectionTimeout

from plantstore.core.errors import SetupError
from plantstore.sql.migrations import find_newest
from plantstore.sql.queries import load_queries
from plantstore.version import VERSION

logger = logging.getLogger(__name__)

_ROUND_SECONDS = 0.25
_COMMAND_SECONDS = 3.0  # for a command to find the host
_LISTS = ("host", "hostaddr", "port")  # parameters with a value per host

# Defaults that the URL can override. Standbys, and primaries demoted to standby, are skipped.
_DEFAULTS = {
    # `migrate` recognises older programs by their name.
    "application_name": f"plantstore {VERSION} schema {find_newest('plantstore.postgres')}",
    "client_encoding": "UTF8",
    "connect_timeout": "3",
    "target_session_attrs": "read-write",
    "tcp_user_timeout": "5000",
}

Opening = asyncio.Task[AsyncConnection]


class Hosts:
    """The hosts of a database URL. With ``prepares``, statements are prepared at first use.

    Each connection runs ``plan_lookups``, one of the queries in ``sql``.

    The last used host is tried first, then all in parallel. While a host is silent, hosts that
    refused are tried again: a standby may be promoted meanwhile.

    :raises SetupError: the URL is not valid.
    """

    def __init__(self, url: str, *, prepares: bool = False) -> None:
        self.conninfos = dict(_split(url))  # by the host's name, the last used first
        self._prepare_threshold = 0 if prepares else None
        self.sql = load_queries("plantstore.postgres")

    async def connect(self, seconds: float) -> AsyncConnection:
        """Connect to a host that accepts writes.

        :raises psycopg.OperationalError: all hosts refused, or none accepted in time; the message
            has the reason for each host. It is a ``ConnectionTimeout`` if all are silent.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        openings: dict[str, Opening] = {}
        failures: dict[str, BaseException] = {}
        asked = list(self.conninfos)[:1]
        try:
            while True:
                for name in asked:
                    if name not in openings:
                        openings[name] = loop.create_task(self._open(name))
                left = deadline - loop.time()
                await asyncio.wait(openings.values(), timeout=min(max(left, 0), _ROUND_SECONDS))
                for name in [name for name in openings if openings[name].done()]:
                    opening = openings.pop(name)
                    if (failure := opening.exception()) is None:
                        if name != next(iter(self.conninfos)):
                            logger.info("connected to %s; %s", name, _failure(openings, failures))
                        self.conninfos = {name: self.conninfos[name], **self.conninfos}
                        return opening.result()
                    failures[name] = failure
                asked = list(self.conninfos)
                if left <= 0 or (not openings and len(failures) == len(asked)):
                    raise _failure(openings, failures)
        finally:
            for opening in openings.values():
                opening.add_done_callback(_close)
                opening.cancel()

    async def _open(self, name: str) -> AsyncConnection:
        connection = await AsyncConnection.connect(
            self.conninfos[name],
            autocommit=True,
            cursor_factory=AsyncRawCursor,
            prepare_threshold=self._prepare_threshold,
        )
        try:
            await connection.execute(self.sql["plan_lookups"])
        except BaseException:
            await connection.close()
            raise
        return connection


def find_host(url: str) -> str:
    """The connection string, for a command, of the host that accepts writes.

    :raises psycopg.OperationalError: there is none.
    :raises SetupError: the URL is not valid.
    """
    hosts = Hosts(url)
    if len(hosts.conninfos) > 1:
        connection = asyncio.run(hosts.connect(_COMMAND_SECONDS))
        connection.pgconn.finish()
    return next(iter(hosts.conninfos.values()))


def check_hosts(url: str) -> str:
    """A sentence that says that all hosts can be reached, including standbys.

    :raises SetupError: a host cannot be reached; the message names each, and why.
    """
    hosts = Hosts(url).conninfos
    failures: dict[str, BaseException] = {}
    for name, conninfo in hosts.items():
        try:
            psycopg.connect(conninfo, target_session_attrs="any").close()
        except psycopg.Error as error:
            failures[name] = error
    if failures:
        raise SetupError(f"cannot connect to {_failure((), failures)}; check the URL")
    return f"hosts of the URL that can be reached: {', '.join(hosts)}"


def _split(url: str) -> Iterator[tuple[str, str]]:
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        reason = str(error).partition(': "')[0]  # the rest may contain the password
        raise SetupError(
            f"the database URL is not valid: {reason}; write "
            "postgresql://user:password@host:5432/name"
        ) from None
    lists = {key: str(given[key]).split(",") for key in _LISTS if key in given}
    for number in range(max(map(len, lists.values()), default=1)):
        host = {key: values[number % len(values)] for key, values in lists.items()}
        name = f"{host.get('host') or host.get('hostaddr') or 'localhost'}:{host.get('port', 5432)}"
        yield name, make_conninfo("", **{**_DEFAULTS, **given, **host})


def _failure(
    silent: Iterable[str], refused: Mapping[str, BaseException]
) -> psycopg.OperationalError:
    failures = {**dict.fromkeys(silent, ConnectionTimeout("timeout")), **refused}
    is_silent = all(isinstance(failure, ConnectionTimeout) for failure in failures.values())
    kind = ConnectionTimeout if is_silent else psycopg.OperationalError
    reasons = (f"{name}: {' '.join(str(failure).split())}" for name, failure in failures.items())
    return kind("; ".join(reasons))


def _close(opening: Opening) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().pgconn.finish()
