"""Pool are lent only while they live, and cut whatever else fails."""

import os
import resource
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest

from plantstore.core.settings import Settings
from plantstore.postgres.availability import Availability
from plantstore.postgres.hosts import Hosts
from plantstore.postgres.pool import Pool
from tests.postgres.server import PostgresServer

pytestmark = pytest.mark.anyio

MAX = 3


@pytest.fixture
async def pool(postgres_server: PostgresServer) -> AsyncIterator[Pool]:
    """Pool that have not been made yet."""
    settings = Settings(database=postgres_server.url())
    hosts, availability = Hosts(settings.database), Availability(is_open=True)
    opened = Pool(settings, MAX, hosts, availability)
    yield opened
    await opened.close()


async def use_all(pool: Pool) -> list[int]:
    """The processes that serve all of the pool, as each of them tells it."""
    async with AsyncExitStack() as stack:
        acquired = [await stack.enter_async_context(pool.acquire()) for _ in range(MAX)]
        cursors = [await connection.execute("SELECT pg_backend_pid()") for connection in acquired]
        return [row[0] for cursor in cursors for row in await cursor.fetchall()]


async def test_connections_that_the_server_closed_are_not_acquired(
    postgres_server: PostgresServer, pool: Pool
) -> None:
    ended = await use_all(pool)
    pids = ", ".join(map(str, ended))
    postgres_server.execute(
        f"SELECT pg_terminate_backend(pid, 5000) FROM unnest(ARRAY[{pids}]) AS pid"
    )
    assert not set(await use_all(pool)) & set(ended)


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


async def test_one_is_aborted_though_no_file_can_be_opened(pool: Pool) -> None:
    async with pool.acquire(0.5) as connection:
        with no_more_files(), pytest.raises(psycopg.OperationalError):
            await connection.execute("SELECT pg_sleep(3)")
