"""A connection is aborted at its deadline, whatever else fails; one store never has all of them."""

import asyncio
import os
import resource

import psycopg
import pytest

from plantstore.core.settings import Settings
from plantstore.postgres.availability import Availability
from plantstore.postgres.hosts import Hosts
from plantstore.postgres.pool import Pool
from plantstore.postgres.reading import Reads
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


@pytest.mark.anyio
async def test_reads_of_a_store_leave_room_for_those_of_others(
    postgres_server: PostgresServer,
) -> None:
    settings = Settings(database=postgres_server.url())
    pool = Pool(settings, 8, Hosts(settings.database), Availability(is_open=True))
    sql = {
        "wait": "SELECT $1::int + $2::int, pg_advisory_xact_lock_shared(1)",
        "add": "SELECT $1::int + $2::int",
    }
    reads = Reads(pool, sql, len, max_waiting=100, max_batch_size=1)
    async with pool.acquire() as holder:
        await holder.execute("SELECT pg_advisory_lock(1)")
        many = [reads.submit(("wait", (1, number))) for number in range(8)]
        async with asyncio.timeout(20):
            for store_id in (2, 3):
                assert await reads.submit(("add", (store_id, 0))) == 1
        assert not any(read.done() for read in many)
        await holder.execute("SELECT pg_advisory_unlock(1)")
        assert await asyncio.gather(*many) == 8 * [1]
        await holder.commit()
    await pool.close()
