"""A thousand listeners share their queries and timers, and are woken only by what happens."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

import pytest
from msgspec.structs import replace

from plantstore.core.database import Database, Row
from plantstore.core.model import Caller, NewPlant
from plantstore.core.pools import Pool
from plantstore.features.events.listeners import Listeners
from tests.contract.harness import DatabaseHarness

pytestmark = pytest.mark.anyio
LISTENERS = 1000
T = TypeVar("T")
CHECKS = 3


@pytest.fixture
def anyio_backend() -> str:
    """Python's own event loop, whose timers can be counted."""
    return "asyncio"


class CountedDatabase:
    """A database of which the queries for listeners are counted, as ``counts``.

    ``has_checked`` is set when the listeners have been checked often enough.
    """

    def __init__(self, database: Database) -> None:
        self.counts: Counter[str] = Counter()
        self.has_checked = asyncio.Event()
        self.commit_observers = database.commit_observers
        self._database = database

    def count_anew(self) -> None:
        """Forget what was counted."""
        self.counts.clear()
        self.has_checked.clear()

    async def read(self, name: str, *arguments: object) -> Sequence[Row]:
        """As the port has it."""
        self.counts["pages"] += None not in arguments  # a form of events
        return await self._database.read(name, *arguments)

    async def find_callers_again(self, callers: Sequence[Caller]) -> Sequence[Caller | None]:
        """As the port has it."""
        self._count_check()
        found = await self._database.find_callers_again(callers)
        unchanged = next(caller.unchanged for caller in found if caller)

        def look() -> bool:
            is_unchanged = unchanged()
            if is_unchanged:
                self._count_check()
            return is_unchanged

        return [caller and replace(caller, unchanged=look) for caller in found]

    def _count_check(self) -> None:
        self.counts["checks"] += 1
        if self.counts["checks"] >= CHECKS:
            self.has_checked.set()


@contextmanager
def costs_counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Counts the timers and the futures that are made until the end of the block."""
    loop, counts = asyncio.get_running_loop(), Counter[str]()
    with monkeypatch.context() as patch:
        for name in ("call_at", "create_future"):
            patch.setattr(loop, name, partial(count_call, counts, name, getattr(loop, name)))
        yield counts


def count_call(
    counts: Counter[str], name: str, call: Callable[..., T], *given: object, **options: object
) -> T:
    """Call it, and count that."""
    counts[name] += 1
    return call(*given, **options)


async def test_a_thousand_listeners_cost_nothing_until_something_happens(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = CountedDatabase(harness.database)
    listeners = Listeners(database, Pool("listeners", 2 * LISTENERS))  # type: ignore[arg-type]  # what it needs
    running = asyncio.create_task(listeners.run())
    callers = [await harness.make_caller("nursery", "ada", str(number)) for number in range(10)]
    streams = [
        (await listeners.add(caller, None)).read_parts()
        for caller in callers
        for _ in range(LISTENERS // len(callers))
    ]
    for stream in streams:
        assert (await anext(stream)).startswith(b"retry: ")
    with costs_counted(monkeypatch) as costs:
        database.count_anew()
        waiting = [asyncio.ensure_future(anext(stream)) for stream in streams]
        await database.has_checked.wait()
    assert not any(task.done() for task in waiting)
    assert 2 * (CHECKS - 1) <= costs["call_at"] < 100  # each check waits for its time
    assert costs["create_future"] < LISTENERS + 100  # each waits, and is not woken for nothing
    await harness.create(NewPlant(1, "Fern"))
    (part,) = set(await asyncio.gather(*waiting))
    assert b"plant.created" in part
    assert database.counts["pages"] == 1
    running.cancel()
