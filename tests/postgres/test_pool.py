"""The connection pool: deadlines, a store's share, and cancelled operations."""

import asyncio
import os
import resource
from collections.abc import Sequence
from contextlib import closing, nullcontext
from functools import partial

import psycopg
import pytest

from plantstore.core.database import Row
from plantstore.core.errors import DatabaseUnavailableError
from plantstore.core.fair_queue import Active
from plantstore.core.model import Grant, NewPlant, PlantQuery
from plantstore.core.settings import Settings
from plantstore.postgres import batcher, reading
from plantstore.postgres.availability import Availability
from plantstore.postgres.database import PostgresDatabase
from plantstore.postgres.hosts import Hosts
from plantstore.postgres.pool import Pool
from plantstore.postgres.reading import Reads
from plantstore.sql.reading import Query
from tests.administration import open_administration
from tests.contract.harness import DatabaseHarness
from tests.postgres.proxy import Proxy
from tests.postgres.server import PostgresServer
from tests.waiting import wait_until

pytestmark = pytest.mark.anyio


async def test_a_query_is_aborted_at_its_deadline_without_free_descriptors(
    postgres_server: PostgresServer,
) -> None:
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


async def test_a_query_that_is_aborted_ends_on_the_server(postgres_server: PostgresServer) -> None:
    """Or a store's slow queries would pile up there, and take the time of all."""
    settings = Settings(database=postgres_server.url())
    pool = Pool(settings, 1, Hosts(settings.database), Availability(is_open=True))
    async with pool.acquire(0.1) as connection:
        with pytest.raises(psycopg.OperationalError):
            await connection.execute("SELECT pg_sleep(1234)")
    await pool.close()
    running = "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%(1234)'"
    wait_until(lambda: not postgres_server.execute(running))


async def test_a_snapshot_outlives_the_idle_timeout_of_the_role(
    postgres_server: PostgresServer,
) -> None:
    with postgres_server.fresh() as url, closing(open_administration(url)) as administration:
        name = url.rpartition("/")[2]
        idle = f"ALTER DATABASE {name} SET idle_in_transaction_session_timeout = '50ms'"
        postgres_server.execute(idle)
        async with DatabaseHarness(url, administration) as harness:
            snapshot = await harness.database.open_snapshot(harness.store_id)
            await asyncio.sleep(0.5)  # the client does not read
            assert (await snapshot.read_page(PlantQuery(), 1)).count == 0
            await snapshot.close()


async def test_reads_of_a_store_leave_connections_for_other_stores(
    postgres_server: PostgresServer,
) -> None:
    settings = Settings(database=postgres_server.url())
    pool = Pool(settings, 8, Hosts(settings.database), Availability(is_open=True))
    pool.sql |= {
        "wait": "SELECT $1::int + $2::int, pg_advisory_xact_lock_shared(1)",
        "add": "SELECT $1::int + $2::int",
    }
    reads = Reads(pool, 1, Active())
    async with pool.acquire() as holder:
        await holder.execute("SELECT pg_advisory_lock(1)")
        blocked_reads = [reads.submit(("wait", (1, number))) for number in range(8)]
        async with asyncio.timeout(20):
            for store_id in (2, 3):
                assert await reads.submit(("add", (store_id, 0))) == [(store_id,)]
        assert not any(read.done() for read in blocked_reads)
        await holder.execute("SELECT pg_advisory_unlock(1)")
        assert list(map(len, await asyncio.gather(*blocked_reads))) == 8 * [1]
        await holder.commit()
    await pool.close()


@pytest.mark.parametrize(
    ("method", "long"),
    [
        ("find_caller", ["_GATHERING_SECONDS"]),
        ("find_plant", ["_GATHERING_SECONDS", "_SHARED_SECONDS"]),
    ],
)
async def test_a_steady_stream_delays_lookups_briefly_and_reads_not_while_several_stores_are_active(
    postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch, method: str, long: list[str]
) -> None:
    for name in long:
        monkeypatch.setattr(batcher, name, 60.0)
    with postgres_server.fresh() as url, closing(open_administration(url)) as administration:
        async with DatabaseHarness(url, administration) as harness:
            await harness.make_caller("orchard", "eve")
            find = partial(getattr(harness.database, method), harness.store_id)
            rest = {"find_caller": (b"", None), "find_plant": (0,)}[method]
            reads = [asyncio.ensure_future(find(*rest))]
            while not reads[0].done() and len(reads) < 50_000:
                reads.append(asyncio.ensure_future(find(*rest)))
                await asyncio.sleep(0)
            assert reads[0].done()
            await asyncio.gather(*reads)


async def test_queries_of_features_share_connections_like_lists(
    postgres_server: PostgresServer,
) -> None:
    with postgres_server.fresh() as url, psycopg.connect(url) as holder:
        holder.execute("SELECT pg_advisory_xact_lock(1)")
        database = PostgresDatabase(Settings(database=url))
        await database.open()
        database._pool.sql |= {  # noqa: SLF001 - a query that waits
            "wait": "SELECT $1::int + $2::int, pg_advisory_xact_lock_shared(1)"
        }
        blocked_reads = [
            asyncio.ensure_future(database.read("wait", 1, number)) for number in range(8)
        ]
        async with asyncio.timeout(20):
            assert await database.read("find_counts", 2) == []
            assert await database.read("count_all") == [(0, 0)]
        assert not any(read.done() for read in blocked_reads)
        holder.rollback()
        assert len(await asyncio.gather(*blocked_reads)) == 8
        await database.close()


async def test_a_cancelled_close_of_a_snapshot_frees_its_stream(
    postgres_server: PostgresServer,
) -> None:
    with (
        postgres_server.fresh() as direct,
        Proxy(postgres_server.port) as proxy,
        closing(open_administration(direct)) as administration,
    ):
        url = direct.replace(f":{postgres_server.port}/", f":{proxy.port}/")
        async with DatabaseHarness(url, administration, max_streams=1) as harness:
            snapshot = await harness.database.open_snapshot(harness.store_id)
            with proxy.silent():
                closing_task = asyncio.ensure_future(snapshot.close())
                await asyncio.sleep(0)  # its last query is sent
                closing_task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await closing_task
            next_snapshot = await harness.database.open_snapshot(harness.store_id)
            await next_snapshot.close()


@pytest.mark.parametrize(
    ("rows", "seconds", "is_aborted"), [(7, 0.0, True), (8, 0.0, False), (7, 60.0, False)]
)
async def test_a_long_list_is_aborted_after_many_commits_and_changes(
    postgres_server: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    rows: int,
    seconds: float,
    *,
    is_aborted: bool,
) -> None:
    """Each leaves a dead row, which the server keeps for the list, and other reads pass."""
    monkeypatch.setattr(reading, "_MAX_DEAD_ROWS", rows)
    monkeypatch.setattr(reading, "_LEAST_SECONDS", seconds)
    with (
        postgres_server.fresh() as url,
        closing(open_administration(url)) as administration,
    ):
        async with DatabaseHarness(url, administration) as harness:
            snapshot = await harness.database.open_snapshot(harness.store_id)
            for plant_id in range(1, 4):
                await harness.create(NewPlant(plant_id, "Monstera"))
            for plant_id in range(1, 3):
                assert (await snapshot.read_page(PlantQuery(), 1)).total == 0
                await harness.delete(plant_id)
                await harness.delete(plant_id)  # replaces nothing
            await asyncio.sleep(0.01)
            aborted = pytest.raises(DatabaseUnavailableError) if is_aborted else nullcontext()
            with aborted:
                await snapshot.read_page(PlantQuery(), 1)
            await harness.database.check()  # the server is available
            await snapshot.close()
            assert len(await harness.read_plants()) == 1
            warned = [record.getMessage() for record in caplog.records]
            assert warned == is_aborted * ["aborted a long list: 7 rows were replaced meanwhile"]


@pytest.mark.parametrize(
    ("subjects", "query"),
    [(["ada"], "find_callers"), (["ada", "bo"], "find_callers_in_stores")],
)
async def test_several_tokens_of_a_store_share_what_is_read_of_it(
    postgres_server: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
    subjects: list[str],
    query: str,
) -> None:
    """Its revision and members may have many dead rows."""
    read, names = Pool.read, list[str]()

    async def read_and_record(self: Pool, *queries: Query) -> Sequence[Sequence[Row]]:
        names.extend(name for name, _ in queries)
        return await read(self, *queries)

    monkeypatch.setattr(Pool, "read", read_and_record)
    with (
        postgres_server.fresh() as url,
        closing(open_administration(url)) as administration,
    ):
        async with DatabaseHarness(url, administration) as harness:
            grants = [Grant(subject=subject, store="nursery") for subject in subjects]
            tokens = [administration.create_token(grant).secret for grant in grants]
            names.clear()
            found = await asyncio.gather(*map(harness.find_caller, tokens))
            assert all(found)
            assert names == [query]


async def test_an_argument_that_the_server_refuses_does_not_make_it_unavailable(
    postgres_server: PostgresServer,
) -> None:
    with postgres_server.fresh() as url:
        availability = Availability(is_open=True)
        pool = Pool(Settings(database=url), 1, Hosts(url), availability)
        for plant_id in ("\0", "not a number"):
            with pytest.raises(psycopg.DataError):
                await pool.read(("find_plant", (1, plant_id)))
            assert availability.reason is None
        assert await pool.read(("find_plant", (1, 1))) == [[]]
        await pool.close()
