"""A thread that runs functions for the event loop, one after another.

It is a daemon thread: if a function never returns, the process can still exit.
"""

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

Result = TypeVar("Result")
_PATIENCE, _TIMES = 0.001, 10  # else Linux may let a thread wait for a busy loop for 4 ms, often
_MOMENT = 0.000001  # 0.06 ms with the timer's slack
_NICENESS = 4  # a reader beside a busy event loop gets a third of the core
_Work = tuple[Callable[[], Any], "asyncio.Future[Any]"]


class Thread:
    """A thread for the event loop on which it is created."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.get_running_loop()
        self._work: SimpleQueue[_Work | None] = SimpleQueue()
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def run(self, function: Callable[[], Result]) -> "asyncio.Future[Result]":
        """Run the function; the future gets its result or its exception."""
        future: asyncio.Future[Result] = self._loop.create_future()
        self._work.put((function, future))
        self._loop.call_later(_PATIENCE, self._give_way, future, _TIMES)
        return future

    def _give_way(self, future: "asyncio.Future[Any]", times: int) -> None:
        """Let other threads of this core run, such as the disk's; a busy loop must sleep for it."""
        if times and not future.done():
            time.sleep(_MOMENT)
            self._loop.call_later(_PATIENCE, self._give_way, future, times - 1)

    def end(self) -> None:
        self._work.put(None)

    def _run(self) -> None:
        while work := self._work.get():
            function, future = work
            try:
                settle = partial(future.set_result, function())
            except BaseException as error:  # noqa: BLE001 - the future gets it
                settle = partial(future.set_exception, error)
            with suppress(RuntimeError):  # the loop is closed: nobody is waiting
                self._loop.call_soon_threadsafe(_settle, future, settle)


def _settle(future: "asyncio.Future[Any]", settle: Callable[[], None]) -> None:
    if not future.cancelled():
        settle()


def run_in_thread(function: Callable[[], Result]) -> "asyncio.Future[Result]":
    """Run a function in a thread of its own."""
    thread = Thread("call")
    future = thread.run(function)
    thread.end()
    return future


def give_precedence() -> None:
    """Let the other threads of the core, such as the event loop's, run before this one."""
    if sys.platform == "linux":  # elsewhere threads have no priority of their own
        os.nice(_NICENESS)
