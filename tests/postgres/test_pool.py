"""A connection is aborted at its deadline, whatever else fails."""

import os
import resource

import psycopg
import pytest

from plantstore.core.settings import Settings
from plantstore.postgres.availability import Availability
from plantstore.postgres.hosts import Hosts
from plantstore.postgres.pool import Pool
from tests.postgres.server import PostgresServer


@pytest.mark.anyio
async def test_one_is_aborted_though_no_file_can_be_opened(postgres_server: PostgresServer) -> None:
    settings = Settings(database=postgres_server.url())
    pool = Pool(settings, 1, Hosts(settings.database), Availability(is_open=True))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    async with pool.acquire(0.5) as connection:
        next_file = os.dup(connection.fileno())
        resource.setrlimit(resource.RLIMIT_NOFILE, (next_file, hard))
        try:
            with pytest.raises(psycopg.OperationalError):
                await connection.execute("SELECT pg_sleep(3)")
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            os.close(next_file)
    await pool.close()
