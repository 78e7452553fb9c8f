"""The function ``write_batch``: its plans and its locks."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing

import psycopg
import pytest

from plantstore.core.model import Caller, IdempotencyKey, NewPlant, Outcome, Precondition
from tests.administration import open_administration
from tests.contract.harness import DatabaseHarness
from tests.postgres.server import PostgresServer

pytestmark = pytest.mark.anyio

_SCANS = (
    "SELECT relname, seq_scan FROM pg_stat_user_tables WHERE relname IN ('revisions', 'tokens',"
    " 'members', 'plants', 'events', 'idempotency_keys') ORDER BY relname"
)
_LOOK_UPS = "SELECT sum(idx_scan) FROM pg_stat_user_tables WHERE relname = 'plants'"
_END_OTHERS = (
    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
    "WHERE datname = current_database() AND backend_type = 'client backend' "
    "AND pid <> pg_backend_pid()"
)


@pytest.fixture
def url(postgres_server: PostgresServer) -> Iterator[str]:
    with postgres_server.fresh() as opened:
        yield opened


async def write_all(harness: DatabaseHarness, number: int) -> None:
    """Writes with most outcomes, in one batch."""
    fern = NewPlant(1, "Fern")
    keys = [IdempotencyKey(f"key {number}", 32 * byte) for byte in (b"a", b"b")]
    outcomes = await asyncio.gather(
        harness.create(fern, keys[0]),
        harness.create(fern, keys[0]),
        harness.create(fern, keys[1]),
        harness.create(fern),
        harness.create(NewPlant(1, "Aloe")),
        harness.update(NewPlant(1, "Moss"), Precondition(("*",), None)),
        harness.update(NewPlant(1, "Moss"), Precondition((), None)),
        harness.delete(1),
        harness.delete(1),
    )
    assert len(set(outcomes)) == 9


async def test_no_statement_scans_a_table_with_misleading_statistics(url: str) -> None:
    """The statistics say that each table has one page, so that a scan would be cheapest."""
    with (
        closing(open_administration(url)) as administration,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        async with DatabaseHarness(url, administration) as harness:
            await write_all(harness, 0)  # and one-time work
            connection.execute("VACUUM ANALYZE")
            connection.execute(_END_OTHERS)  # then their counts are visible
            scans, look_ups = (connection.execute(sql).fetchall() for sql in (_SCANS, _LOOK_UPS))
            for number in range(1, 9):  # PostgreSQL may keep a plan after five calls
                await write_all(harness, number)
            connection.execute(_END_OTHERS)
        assert connection.execute(_LOOK_UPS).fetchall() > look_ups
        assert connection.execute(_SCANS).fetchall() == scans


@pytest.mark.parametrize("isolation", ["read committed", "serializable"])
async def test_concurrent_batches_of_the_same_stores_neither_deadlock_nor_fail(
    url: str, isolation: str
) -> None:
    """Two processes lock the stores in the same order, whatever the order of the writes."""
    name = url.rpartition("/")[2]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            f"ALTER DATABASE {name} SET default_transaction_isolation = '{isolation}'".encode()
        )
    async with AsyncExitStack() as opened:
        administration = opened.enter_context(closing(open_administration(url)))
        processes = [
            await opened.enter_async_context(DatabaseHarness(url, administration)) for _ in range(2)
        ]
        owners = [await processes[0].make_caller(f"store-{n}", "ada") for n in range(60)]

        def write(number: int) -> list["asyncio.Future[Outcome]"]:
            order = owners if number % 2 else owners[::-1]
            return [
                asyncio.ensure_future(create(processes[number % 2], number, owner))
                for owner in order
            ]

        for step in range(0, 100, 2):
            outcomes = await asyncio.gather(*write(step), *write(step + 1))
            assert set(outcomes) == {Outcome.CREATED}


async def create(process: DatabaseHarness, plant_id: int, owner: Caller) -> Outcome:
    return await process.create(NewPlant(plant_id, "Fern"), caller=owner)
