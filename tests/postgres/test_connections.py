"""Connections are lent only while they live, and cut whatever else fails."""

import os
import resource
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest

from plantstore.postgres.connections import Connections
from plantstore.settings import Settings
from tests.postgres.server import PostgresServer

pytestmark = pytest.mark.anyio

MOST = 3


@pytest.fixture
async def connections(postgres_server: PostgresServer) -> AsyncIterator[Connections]:
    """Connections that have not been made yet."""
    opened = Connections(Settings(database=postgres_server.url()), MOST)
    yield opened
    await opened.close()


async def use_all(connections: Connections) -> list[int]:
    """The processes that serve all of the connections, as each of them tells it."""
    async with AsyncExitStack() as stack:
        lent = [await stack.enter_async_context(connections.lent()) for _ in range(MOST)]
        cursors = [await connection.execute("SELECT pg_backend_pid()") for connection in lent]
        return [row[0] for cursor in cursors for row in await cursor.fetchall()]


async def test_those_that_the_server_ended_are_not_lent(
    postgres_server: PostgresServer, connections: Connections
) -> None:
    ended = await use_all(connections)
    pids = ", ".join(map(str, ended))
    postgres_server.execute(
        f"SELECT pg_terminate_backend(pid, 5000) FROM unnest(ARRAY[{pids}]) AS pid"
    )
    assert not set(await use_all(connections)) & set(ended)


@contextmanager
def no_more_files() -> Iterator[None]:
    """Let the process open no file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Path(os.devnull).open(encoding="ascii") as last:
        resource.setrlimit(resource.RLIMIT_NOFILE, (last.fileno(), hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_one_is_cut_though_no_file_can_be_opened(connections: Connections) -> None:
    async with connections.lent(0.5) as connection:
        with no_more_files(), pytest.raises(psycopg.OperationalError):
            await connection.execute("SELECT pg_sleep(3)")
