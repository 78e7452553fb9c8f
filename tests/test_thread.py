"""A function in a thread, and the event loop that waits for it."""

import asyncio
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from plantstore.core.thread import give_precedence, run_in_thread


@pytest.mark.anyio
async def test_the_result_of_a_call_that_was_cancelled_is_dropped(
    caplog: pytest.LogCaptureFixture,
) -> None:
    is_released = threading.Event()
    cancelled = run_in_thread(is_released.wait)
    cancelled.cancel()
    is_released.set()
    assert await run_in_thread(lambda: 1) == 1
    await asyncio.sleep(0.05)
    assert cancelled.cancelled()
    assert not caplog.records


@pytest.mark.anyio
async def test_a_loop_that_waits_for_a_thread_gives_way_but_not_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept = list[float]()
    monkeypatch.setattr(time, "sleep", slept.append)
    is_released = threading.Event()
    waiting = run_in_thread(is_released.wait)
    while len(slept) < 10:  # noqa: ASYNC110 - the loop has no event for it
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.05)
    assert len(slept) == 10
    is_released.set()
    await waiting


@pytest.mark.anyio
async def test_a_loop_gives_way_no_more_when_its_thread_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept = list[float]()
    is_released = threading.Event()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        is_released.set()

    monkeypatch.setattr(time, "sleep", sleep)
    await run_in_thread(is_released.wait)
    before = len(slept)
    await asyncio.sleep(0.05)
    assert len(slept) == before


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priority of their own")
def test_a_thread_that_gives_precedence_leaves_the_others_theirs() -> None:
    before = os.nice(0)
    with ThreadPoolExecutor(1, initializer=give_precedence) as threads:
        assert threads.submit(os.nice, 0).result() > min(before, 18)
    assert os.nice(0) == before
