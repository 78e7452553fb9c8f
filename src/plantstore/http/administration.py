"""Runs administration in threads: one job at a time, each with a deadline.

Invariant: a job that is cancelled at its deadline commits nothing afterwards, unless a commit had
begun.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, Generic, TypeVar

from plantstore.core.errors import DatabaseUnavailableError, OutcomeUnknownError, SetupError
from plantstore.core.failures import FailureLog
from plantstore.core.fair_queue import RoundRobin
from plantstore.core.pools import Pool
from plantstore.core.thread import run_in_thread
from plantstore.sql.session import OpenSession, Session

failures = FailureLog(logging.getLogger(__name__), "administration works again")

MAX_JOBS = 64
_IDLE_SECONDS = 60.0  # connections idle for longer may be lost
_CLOSING_SECONDS = 2.0
_REST = 0.02  # seconds, for each holder that rests

Result = TypeVar("Result")


class Job(Generic[Result]):
    """Work to run on a session; ``future`` gets its result."""

    def __init__(self, holder: Hashable, work: Callable[[Session], Result]) -> None:
        self.holder, self.work = holder, work
        self.session: Session | None = None
        self._lock = threading.Lock()  # guards the next two
        self._is_cancelled = self._has_committed = False
        self.future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()

    def cancel(self) -> None:
        """Stop waiting for the job, unless it has ended."""
        if not self.future.done():
            with self._lock:
                self._is_cancelled = True
            self.future.set_exception(self._make_error())
            if self.session is not None:
                self.session.abort()

    def finish(self, done: "asyncio.Future[Result]") -> None:
        """Set the future, and log why the database cannot be used."""
        error = done.exception()
        if isinstance(error, SetupError):
            failures.add("administration failed: %s", error)
            error = self._make_error()
        if self.future.done():
            return
        if error is None:
            failures.note_success()
            self.future.set_result(done.result())
        else:
            self.future.set_exception(error)

    def begin_commit(self) -> None:
        with self._lock:
            if self._is_cancelled:
                raise DatabaseUnavailableError
            self._has_committed = True

    def _make_error(self) -> DatabaseUnavailableError | OutcomeUnknownError:
        return OutcomeUnknownError() if self._has_committed else DatabaseUnavailableError()


class Administration:
    """The jobs of one process; each may wait and run for ``seconds`` in all.

    Jobs share the ``slots``; one runs at a time. Holders take turns. After a job, its holder rests
    if more of its jobs wait.
    """

    def __init__(self, open_session: OpenSession, seconds: float, slots: Pool) -> None:
        self._open_session = open_session
        self._seconds = seconds
        self._slots = slots
        self._waiting = RoundRobin[Job[Any]]()
        self._running: asyncio.Future[Any] | None = None
        self._session: Session | None = None  # that no job uses
        self._loop = asyncio.get_running_loop()
        self._later: asyncio.TimerHandle | None = None
        self._rests: dict[Hashable, float] = {}  # until when, by holder

    async def run(self, holder: Hashable, work: Callable[[Session], Result]) -> Result:
        """Run work and return its result; the holder is a store, a network, or None.

        :raises PlantStoreError: the work raised it, the database took too long, or too many jobs
            are waiting.
        """
        self._slots.acquire(holder)
        job = Job(holder, work)
        self._waiting.put(holder, job)
        timer = self._loop.call_later(self._seconds, job.cancel)
        try:
            self._run_next()
            return await job.future
        finally:
            timer.cancel()
            self._waiting.remove(holder, job)  # if it has not begun, nobody waits for it any more
            self._slots.release(holder)

    async def close(self) -> None:
        """Close the session, after the running job."""
        if self._running is not None:
            await asyncio.wait([self._running], timeout=_CLOSING_SECONDS)
        if (closing := self._close_session()) is not None:
            await asyncio.wait([closing], timeout=_CLOSING_SECONDS)

    def _run_next(self) -> None:
        if self._later is not None:
            self._later.cancel()
        now = self._loop.time()
        self._rests = {holder: until for holder, until in self._rests.items() if until > now}
        if self._waiting.keys and self._running is None:
            rests = {holder: self._rests.get(holder, 0.0) for holder in self._waiting.keys}
            holder = min(rests, key=rests.__getitem__)
            if rests[holder]:
                self._later = self._loop.call_at(rests[holder], self._run_next)
                return
            job = self._waiting.pop(holder)
            job.session, self._session = self._session, None
            self._running = run_in_thread(partial(self._do, job))
            self._running.add_done_callback(partial(self._finish, job))
        self._later = self._loop.call_later(_IDLE_SECONDS, self._close_session)

    def _do(self, job: Job[Result]) -> Result:
        if job.future.done():  # cancelled while it waited
            raise DatabaseUnavailableError
        if job.session is not None:
            try:
                job.session.revalidate()
            except SetupError:
                job.session.close()
                job.session = None
        session = job.session = job.session or self._open_session()
        session.before_commit = job.begin_commit
        return job.work(session)

    def _finish(self, job: Job[Result], done: "asyncio.Future[Result]") -> None:
        job.finish(done)
        self._running, self._session = None, job.session
        if job.holder in self._waiting.keys:
            self._rests[job.holder] = self._loop.time() + _REST * (1 + len(self._rests))
        self._run_next()

    def _close_session(self) -> "asyncio.Future[None] | None":
        closing, self._session = self._session, None  # no job gets it while it is being closed
        return None if closing is None else run_in_thread(closing.close)
