"""A thousand listeners share their queries, and receive only new events."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from plantstore.core.database import Database, Row
from plantstore.core.fair_queue import FairQueue
from plantstore.core.model import Caller, NewPlant
from plantstore.core.pools import Pool
from plantstore.features.events.listeners import Listener, Listeners
from plantstore.http.lanes import Lanes
from tests.contract.harness import DatabaseHarness

pytestmark = pytest.mark.anyio
LISTENERS, TOKENS = 1000, 10


class CountedDatabase:
    """A database that counts the read pages of events, and the callers of each check."""

    def __init__(self, database: Database) -> None:
        self.pages = 0
        self.checks: list[int] = []
        self.reads = self.max_reads = 0  # that run at the same time
        self.writes = database.writes
        self._database = database

    async def read(self, name: str, *arguments: object) -> Sequence[Row]:
        self.pages += None not in arguments  # a form of events
        self.reads += 1
        self.max_reads = max(self.max_reads, self.reads)
        try:
            await asyncio.sleep(0)
            return await self._database.read(name, *arguments)
        finally:
            self.reads -= 1

    async def find_callers_again(self, callers: Sequence[Caller]) -> Sequence[Caller | None]:
        self.checks.append(len(callers))
        return await self._database.find_callers_again(callers)


async def test_a_thousand_listeners_share_their_queries(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plantstore.features.events.listeners._HEARTBEAT_SECONDS", 600)
    database = CountedDatabase(harness.database)
    slots = Pool("listeners", 2 * LISTENERS)
    listeners = Listeners(database, Lanes(FairQueue()), slots)  # type: ignore[arg-type]  # has all that is used
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
    assert database.pages in {1, 2}  # a check during the reads drops a page
    task.cancel()


async def test_listeners_at_different_revisions_read_one_after_another(
    harness: DatabaseHarness,
) -> None:
    """Else clients that connect for the same old events again and again would take all readers."""
    for number in range(20):
        await harness.create(NewPlant(number, "Fern"))
    database = CountedDatabase(harness.database)
    async with listening(database) as listeners:
        caller = await harness.make_caller("nursery", "ada", "0")
        added = [await listeners.add(caller, after) for after in range(10)]
        database.max_reads = 0
        parts = await asyncio.gather(*map(receive_event, added))
    assert [part.count(b"data: ") for part in parts] == list(range(20, 10, -1))
    assert database.max_reads == 1


async def test_a_store_s_commits_wake_its_listeners_alone(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither does a commit look anything up: it says the store's revision."""
    checked: list[Listener] = []
    is_due = vars(Listener)["is_due"]

    def note(listener: Listener) -> object:
        checked.append(listener)
        return is_due.fget(listener)

    monkeypatch.setattr(Listener, "is_due", property(note))
    monkeypatch.setattr("plantstore.features.events.listeners._TICK_SECONDS", 600)
    database = CountedDatabase(harness.database)
    async with listening(database) as listeners:
        owners = [harness.owner, await harness.make_caller("orchard", "eve")]
        mine, *others = [await listeners.add(owner, None) for owner in owners for _ in range(10)]
        events = [receive_event(listener) for listener in (mine, *others)]
        await harness.create(NewPlant(1, "Fern"))
        await asyncio.wait_for(asyncio.gather(*events[:10]), 60)
        assert {listener.caller.store_id for listener in checked} == {harness.store_id}
        await harness.create(NewPlant(1, "Aloe"), caller=owners[1])
        assert b"Aloe" in await asyncio.wait_for(events[-1], 60)
        for listener in (mine, *others):
            await listeners.remove(listener)
    assert database.checks == []
    assert not database.writes.followers


async def test_the_more_listeners_are_busy_the_longer_are_their_pauses(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or each of frequent commits would take the time to send something to each of them."""
    monkeypatch.setattr("plantstore.features.events.listeners._TICK_SECONDS", 600)
    pauses: list[float] = []
    sleep = asyncio.sleep

    async def note_pause(seconds: float) -> None:
        if 0 < seconds < 600:
            pauses.append(round(seconds, 6))
        await sleep(600 if seconds else 0)

    async with listening(CountedDatabase(harness.database)) as listeners:
        owners = [harness.owner, await harness.make_caller("orchard", "eve")]
        added = [await listeners.add(harness.owner, None) for _ in range(LISTENERS)]
        added.append(await listeners.add(owners[1], None))
        events = [receive_event(listener) for listener in added]
        monkeypatch.setattr("plantstore.features.events.listeners.asyncio.sleep", note_pause)
        await harness.create(NewPlant(1, "Fern"), caller=owners[1])
        await asyncio.wait_for(events[-1], 60)
        await harness.create(NewPlant(1, "Fern"))
        await asyncio.wait_for(asyncio.gather(*events), 60)
        while len(pauses) < 2:
            await sleep(0)
        # The store waits for its pause, even with another listener.
        await harness.create(NewPlant(2, "Fern"))
        await sleep(0.1)
        assert added[0].after + 1 == added[0].feed.revision
    assert pauses == [0.05, 0.4]  # a store with one listener, then one with 1000 beside it


async def test_a_commit_during_a_check_ends_no_stream(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check may find an earlier revision than that of the commit."""
    database = CountedDatabase(harness.database)
    find = database.find_callers_again
    found, gate = asyncio.Event(), asyncio.Event()

    async def find_late(callers: Sequence[Caller]) -> Sequence[Caller | None]:
        current = await find(callers)
        found.set()
        await gate.wait()
        return current

    monkeypatch.setattr(database, "find_callers_again", find_late)
    async with listening(database) as listeners:
        listener = await listeners.add(harness.owner, None)
        stream = listener.read_parts()
        await anext(stream)
        for number in range(1, 4):
            await harness.create(NewPlant(2 * number, "Fern"))
            assert b"Fern" in await asyncio.wait_for(anext(stream), 60)
            found.clear()
            await asyncio.wait_for(found.wait(), 60)
            await harness.create(NewPlant(2 * number + 1, "Aloe"))
            gate.set()
            assert b"Aloe" in await asyncio.wait_for(anext(stream), 60)
            gate.clear()


async def test_without_checks_of_access_no_events_are_sent(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = CountedDatabase(harness.database)
    gate = asyncio.Event()
    find = database.find_callers_again

    async def hang(callers: Sequence[Caller]) -> Sequence[Caller | None]:
        await gate.wait()
        return await find(callers)

    async with listening(database) as listeners:
        listener = await listeners.add(harness.owner, None)
        stream = listener.read_parts()
        await anext(stream)
        monkeypatch.setattr(database, "find_callers_again", hang)
        await harness.create(NewPlant(1, "Fern"))
        assert b"Fern" in await asyncio.wait_for(anext(stream), 60)
        await asyncio.sleep(2)  # the next check hangs
        event = asyncio.ensure_future(anext(stream))
        await harness.create(NewPlant(2, "Aloe"))
        await asyncio.sleep(1)
        assert not event.done()
        gate.set()
        assert b"Aloe" in await asyncio.wait_for(event, 60)


@asynccontextmanager
async def listening(database: CountedDatabase) -> AsyncIterator[Listeners]:
    listeners = Listeners(database, Lanes(FairQueue()), Pool("listeners", 4 * LISTENERS))  # type: ignore[arg-type]  # has all that is used
    task = asyncio.create_task(listeners.run())
    yield listeners
    task.cancel()


def receive_event(listener: Listener) -> "asyncio.Task[bytes]":
    async def receive() -> bytes:
        parts = listener.read_parts()
        await anext(parts)
        return await anext(parts)

    return asyncio.create_task(receive())
