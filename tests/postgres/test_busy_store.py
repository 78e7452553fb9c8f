"""Writes that wait for a locked store do not delay writes to other stores."""

import asyncio
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import psycopg
import pytest

from plantstore.core.model import NewPlant, Outcome
from plantstore.core.operations import Atomic, Create, Written
from tests.administration import open_administration
from tests.contract.harness import DatabaseHarness
from tests.faults.load import body
from tests.faults.two_processes import two_services
from tests.postgres.server import PostgresServer
from tests.service import Service
from tests.waiting import wait_until


@contextmanager
def locked_store(url: str) -> Iterator[psycopg.Connection]:
    """Lock the store ``busy`` in a transaction until the end of the block."""
    with psycopg.connect(url) as holder:
        stores = holder.execute("SELECT store_id FROM stores WHERE name = 'busy'").fetchone()
        holder.execute("SELECT FROM revisions WHERE store_id = %s FOR UPDATE", stores)
        yield holder


def wait_until_blocking(holder: psycopg.Connection) -> None:
    """Return when another transaction waits for this one."""
    waiting = "SELECT FROM pg_locks WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))"
    if "TEST_ON_CITUS" in os.environ:  # the store may be on another server
        waiting = "SELECT FROM citus_lock_waits"
    wait_until(lambda: holder.execute(waiting).rowcount)


def create(service: Service, token: str, plant_id: int) -> int:
    with service.client(token) as client:
        return client.post("/plants", json=body(plant_id)).status_code


def test_two_services_that_get_the_same_key_create_one_plant(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    """The second service looks up the key after the first has committed it."""
    waiting = "SELECT count(*) = 2 FROM pg_locks WHERE NOT granted"
    with two_services(postgres_server, tmp_path) as processes, ThreadPoolExecutor() as pool:
        token = processes.service.make_token()

        def create_once(service: Service) -> int:
            with service.client(token) as client:
                key = {"Idempotency-Key": "the same"}
                return client.post("/plants", json=body(1), headers=key).status_code

        with psycopg.connect(processes.service.database) as holder:
            holder.execute("LOCK TABLE plants IN SHARE MODE")  # no plant can be inserted meanwhile
            futures = [pool.submit(create_once, service) for service in processes.services]
            wait_until(lambda: postgres_server.execute(waiting) == [(True,)])
        assert [future.result() for future in futures] == [200, 200]
        assert len(processes.service.events("nursery")) == 1


@pytest.mark.anyio
@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("pause", [0, 0.02])
async def test_locked_stores_neither_delay_nor_fail_other_stores(
    count: int, pause: float, postgres_server: PostgresServer
) -> None:
    """Writes that arrive at once share a batch; not all batches at once wait for a lock."""
    with postgres_server.fresh() as url, closing(open_administration(url)) as administration:
        async with DatabaseHarness(url, administration) as harness:
            stores = [f"locked-{number}" for number in range(count)]
            callers = [await harness.make_caller(store, "ada") for store in stores]
            waiting: list[asyncio.Future[Outcome]] = []
            with psycopg.connect(url) as holder:
                holder.execute("SELECT FROM revisions WHERE store_id <> %s FOR UPDATE", [1])
                for number in (1, 2):
                    plant = NewPlant(number, "Fern")
                    creates = [harness.create(plant, caller=caller) for caller in callers]
                    for future in map(asyncio.ensure_future, creates):
                        waiting.append(future)
                        await asyncio.sleep(pause)
                    assert await harness.create(plant) is Outcome.CREATED
                    assert not any(future.done() for future in waiting)
            assert await asyncio.gather(*waiting) == 2 * count * [Outcome.CREATED]
            assert len(await harness.read_plants(callers[0])) == 2


@pytest.mark.anyio
async def test_atomic_changes_of_a_locked_store_are_made_once_it_is_unlocked(
    postgres_server: PostgresServer,
) -> None:
    """Two other stores are waited for, so they are refused first, and tried again."""
    with postgres_server.fresh() as url, closing(open_administration(url)) as administration:
        async with DatabaseHarness(url, administration) as harness:
            callers = [await harness.make_caller(f"locked-{n}", "ada") for n in range(3)]
            with psycopg.connect(url) as holder:
                holder.execute("SELECT FROM revisions FOR UPDATE")
                waiting: list[asyncio.Future[Written]] = []
                for caller in callers:
                    store_id = caller.store_id
                    creates = [Create(store_id, caller, NewPlant(n, "Fern")) for n in (1, 2)]
                    waiting.append(harness.database.write(Atomic(store_id, creates)))
                    await asyncio.sleep(0.1)
                assert not any(future.done() for future in waiting)
            for future in waiting:
                assert await future == (Outcome.CREATED, 2)


@pytest.mark.anyio
async def test_a_locked_plant_neither_delays_nor_fails_other_stores(
    postgres_server: PostgresServer,
) -> None:
    with postgres_server.fresh() as url, closing(open_administration(url)) as administration:
        async with DatabaseHarness(url, administration) as harness:
            other, plant = await harness.make_caller("other", "ada"), NewPlant(1, "Fern")
            await harness.create(plant)
            with psycopg.connect(url) as holder:
                holder.execute("SELECT FROM plants FOR UPDATE")
                deleting = asyncio.ensure_future(harness.delete(1))
                for number in (1, 2):
                    created = harness.create(NewPlant(number, "Fern"), caller=other)
                    assert await created is Outcome.CREATED
                assert not deleting.done()
            assert await deleting is Outcome.DELETED


def test_a_locked_store_is_logged_once_and_the_service_stays_ready(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    settings = {"database_timeout": 0.5, "write_timeout": 0.5, "core.failures._INTERVAL": 0.2}
    with (
        postgres_server.fresh() as url,
        Service(tmp_path, database=url, settings=settings) as service,
    ):
        busy, free = map(service.make_token, ("busy", "free"))
        with locked_store(url), ThreadPoolExecutor() as pool:
            for number in (1, 2):
                # Some of them time out before they are sent to the database.
                assert set(pool.map(partial(create, service, busy), range(8))) == {503}
                with service.client(busy) as client:
                    assert client.get("/readyz").status_code == 200
                    assert client.get("/plants").status_code == 200
                time.sleep(0.3)  # then a recovery would be logged
                assert create(service, free, number) == 200
        lines = [line for line in service.log().splitlines() if "plantstore.postgres" in line]
        (line,) = lines
        assert "store 1 is locked by another transaction" in line
        assert create(service, busy, 1) == 200
