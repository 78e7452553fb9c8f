"""A long list's place is given back, however its end is interrupted."""

import asyncio
from contextlib import closing

import pytest

from tests.administration import open_administration
from tests.contract.harness import DatabaseHarness
from tests.postgres.proxy import Proxy
from tests.postgres.server import PostgresServer

pytestmark = pytest.mark.anyio


async def test_a_close_that_is_cancelled_gives_its_place_back(
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
                closing_it = asyncio.ensure_future(snapshot.close())
                await asyncio.sleep(0)  # its last query is sent
                closing_it.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await closing_it
            again = await harness.database.open_snapshot(harness.store_id)
            await again.close()
