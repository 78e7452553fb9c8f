"""A write is committed only while its token is good: it is looked at in the batch's transaction."""

import asyncio
from contextlib import closing

import pytest

from plantstore.core.model import NewPlant, Outcome
from plantstore.sqlite.connection import connect, database_path
from tests.contract.harness import DatabaseHarness
from tests.databases import execute, writes_held

pytestmark = pytest.mark.anyio

FERN = NewPlant(1, "Fern")


def change(url: str, sql: str) -> None:
    if url.startswith("postgres"):
        execute(url, sql)
        return
    with closing(connect(database_path(url))) as connection:  # past the lock, which is taken
        connection.execute(sql)


@pytest.mark.parametrize(
    ("statement", "outcome"),
    [
        ("UPDATE tokens SET revoked_at = 1 WHERE label = 'kiosk'", Outcome.TOKEN_INVALID),
        ("UPDATE tokens SET expires_at = 1 WHERE label = 'kiosk'", Outcome.TOKEN_INVALID),
        ("UPDATE members SET role = 'reader' WHERE user_id = 2", Outcome.FORBIDDEN),
        ("DELETE FROM members WHERE user_id = 2", Outcome.NO_SUCH_STORE),
    ],
)
async def test_a_write_that_waits_while_its_token_changes_is_refused(
    harness: DatabaseHarness, url: str, statement: str, outcome: Outcome
) -> None:
    eve = await harness.make_caller("nursery", "eve", label="kiosk")
    assert eve.user_id == 2
    await harness.create(FERN)
    with writes_held(url):
        waiting = [
            asyncio.ensure_future(harness.create(NewPlant(2, "Ficus"), caller=eve)),
            asyncio.ensure_future(harness.delete(FERN.id, eve)),
            asyncio.ensure_future(harness.create(NewPlant(3, "Ficus"))),
        ]
        await asyncio.sleep(0)
        change(url, statement)
    assert await asyncio.gather(*waiting) == [outcome, outcome, Outcome.CREATED]
    assert [plant.id for plant in await harness.read_plants()] == [1, 3]
    await harness.assert_consistency()
