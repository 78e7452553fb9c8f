"""A function in a thread, and the event loop that waits for it."""

import asyncio
import threading

import pytest

from plantstore.core.thread import run_in_thread


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
