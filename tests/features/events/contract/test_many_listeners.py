"""A thousand listeners share their queries, and receive only new events."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from plantstore.core.database import Database, Row
from plantstore.core.fair_queue import FairQueue
from plantstore.core.model import Caller, NewPlant
from plantstore.core.pools import Pool
from plantstore.features.events.listeners import Listeners
from tests.contract.harness import DatabaseHarness

pytestmark = pytest.mark.anyio
LISTENERS, TOKENS = 1000, 10


class CountedDatabase:
    """A database that counts the read pages of events, and the callers of each check."""

    def __init__(self, database: Database) -> None:
        self.pages = 0
        self.checks: list[int] = []
        self.writes = database.writes
        self._database = database

    async def read(self, name: str, *arguments: object) -> Sequence[Row]:
        self.pages += None not in arguments  # a form of events
        return await self._database.read(name, *arguments)

    async def find_callers_again(self, callers: Sequence[Caller]) -> Sequence[Caller | None]:
        self.checks.append(len(callers))
        return await self._database.find_callers_again(callers)


async def test_a_thousand_listeners_share_their_queries(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plantstore.features.events.listeners._HEARTBEAT_SECONDS", 600)
    database = CountedDatabase(harness.database)
    slots = Pool("listeners", 2 * LISTENERS)
    listeners = Listeners(database, FairQueue(), slots)  # type: ignore[arg-type]  # has all that is used
    task = asyncio.create_task(listeners.run())
    callers = [await harness.make_caller("nursery", "ada", str(n)) for n in range(TOKENS)]
    added = [await listeners.add(callers[n % TOKENS], None) for n in range(LISTENERS)]
    streams = [listener.read_parts() for listener in added]
    for stream in streams:
        assert (await anext(stream)).startswith(b"retry: ")
    waiting = [asyncio.ensure_future(anext(stream)) for stream in streams]
    await asyncio.sleep(1)
    assert not any(pending.done() for pending in waiting)
    # Each check looks up each token once; on SQLite, only after a commit.
    assert set(database.checks) <= {1, TOKENS}
    await harness.create(NewPlant(1, "Fern"))
    (part,) = set(await asyncio.gather(*waiting))
    assert b"plant.created" in part
    assert database.pages == 1
    task.cancel()


async def test_the_more_listeners_the_more_events_are_sent_at_once(
    harness: DatabaseHarness,
) -> None:
    """Or each of frequent commits would take the time to send something to each of them."""
    caller = await harness.make_caller("nursery", "ada")
    tasks = []
    counts = []
    for others in (0, 2 * LISTENERS):
        slots = Pool("listeners", 4 * LISTENERS)
        slots.add("others", others)
        listeners = Listeners(harness.database, FairQueue(), slots)
        tasks.append(asyncio.create_task(listeners.run()))
        stream = (await listeners.add(caller, None)).read_parts()
        counts.append(asyncio.create_task(count_parts(stream, 30)))
    for number in range(30):
        await harness.create(NewPlant(number, "Fern"))
        await asyncio.sleep(0.02)
    few, many = await asyncio.gather(*counts)
    for task in tasks:
        task.cancel()
    assert 2 * many < few


async def count_parts(stream: AsyncIterator[bytes], events: int) -> int:
    """Read so many events; returns in how many parts they were."""
    parts = 0
    while events > 0:
        events -= (part := await anext(stream)).count(b"plant.created")
        parts += b"plant.created" in part
    return parts
