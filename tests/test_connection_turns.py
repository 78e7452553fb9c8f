"""In an iteration of the event loop, each network has at most its quantum of work done."""

import asyncio
from functools import partial

import pytest

from plantstore.server.turns import Turns

pytestmark = pytest.mark.anyio


async def test_who_waits_for_much_delays_no_other() -> None:
    turns, done = Turns(2), list[str]()

    def work(name: str) -> bool:
        done.append(name)
        return name != "gone"

    for name in ("first", "gone", "second", "third"):
        turns.wait("flood", partial(work, name))
    turns.wait("other", partial(work, "other"))
    await asyncio.sleep(0)
    assert done == ["first", "gone", "second", "other"]  # who has gone takes no turn
    await asyncio.sleep(0)
    assert done[-1] == "third"
    assert not turns.waiting


async def test_work_that_fails_ends_no_turns() -> None:
    turns, done = Turns(1), list[int]()

    def work(number: int) -> bool:
        done.append(1 // number)
        return True

    asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)
    for number in (0, 1):
        turns.wait("network", partial(work, number))
    for _ in range(3):
        await asyncio.sleep(0)
    assert done == [1]
