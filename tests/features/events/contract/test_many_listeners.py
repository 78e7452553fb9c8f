"""A thousand listeners share their queries, and receive only new events."""

import asyncio
from collections.abc import Sequence

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
