"""Runs jobs on the database's administration for requests, each with a deadline.

Threads run them on sessions that are kept, so that the event loop never waits. Invariant: a job
that is cancelled at its deadline commits nothing afterwards, unless its commit had begun.
"""

import asyncio
import logging
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, InvalidStateError
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from plantstore.core.errors import (
    DatabaseUnavailableError,
    OutcomeUnknownError,
    PlantStoreError,
    SetupError,
)
from plantstore.core.failures import FailureLog
from plantstore.core.pools import Pool
from plantstore.sql.session import OpenSession, Session

failures = FailureLog(logging.getLogger(__name__), "access administration works again")

MAX_JOBS = 64
_IDLE_SECONDS = 60.0  # a connection that was idle for longer may be lost
_CLOSING_SECONDS = 2.0

Result = TypeVar("Result")


class Job(Generic[Result]):
    """Work that is done once, on a session; ``future`` has its result.

    Its commit and its cancellation first take ``decision``, and only one of them gets it.
    """

    def __init__(self, work: "Callable[[Session, Job[Result]], Result]") -> None:
        self._work = work
        self._session: Session | None = None
        self._decision = threading.Lock()  # never released
        self.future: Future[Result] = Future()

    @contextmanager
    def transaction(self, session: Session) -> Iterator[None]:
        """See ``Session``; a cancelled job is not committed."""
        with session.transaction():
            yield
            if not self._decision.acquire(blocking=False):
                raise DatabaseUnavailableError

    def run(self, kept: Session | None, open_session: OpenSession) -> Session | None:
        """Do the work on the kept session or a new one; returns the session to keep."""
        if self.future.done():  # cancelled while it waited
            return kept
        session, self._session = None, kept  # whose check may be aborted
        try:
            session = kept if kept is not None and _is_current(kept) else open_session()
            self._session = session
            _settle(self.future.set_result, self._work(session, self))
        except SetupError as error:
            failures.add("access administration failed: %s", error)
            reason = _explain(is_undone=not self._decision.locked())
            _settle(self.future.set_exception, reason)
        except BaseException as error:  # noqa: BLE001 - the request gets it
            _settle(self.future.set_exception, error)
        return session

    def cancel(self) -> None:
        """End the wait for it, unless it has ended."""
        reason = _explain(is_undone=self._decision.acquire(blocking=False))
        if _settle(self.future.set_exception, reason) and self._session is not None:
            self._session.abort()


class JobQueue:
    """The jobs of one process, each for at most ``seconds`` with the wait for it.

    They share the ``places``, and holders take turns; so many ``threads`` run them.
    """

    def __init__(
        self, open_session: OpenSession, seconds: float, places: Pool, threads: int = 1
    ) -> None:
        self._open_session = open_session
        self._seconds = seconds
        self._places = places
        self._waiting: OrderedDict[Hashable, deque[Job[Any]]] = OrderedDict()
        self._lock = threading.Lock()  # for what waits
        self._tickets: SimpleQueue[bool] = SimpleQueue()  # True for each that waits, False to end
        self._max_threads = threads
        self._threads: list[threading.Thread] = []

    async def run(self, holder: Hashable, work: Callable[[Session, Job[Result]], Result]) -> Result:
        """The result of work for a store, or for a network without a token.

        :raises PlantStoreError: what the work raises; or the database took too long; or too many
            jobs are waiting.
        """
        self._places.take(holder)
        if len(self._threads) < self._max_threads:  # daemons, which let the process exit
            self._threads.append(
                threading.Thread(target=self._run_jobs, name="access", daemon=True)
            )
            self._threads[-1].start()
        job = Job(work)
        with self._lock:
            self._waiting.setdefault(holder, deque()).append(job)
        self._tickets.put(True)  # noqa: FBT003 - what it says stands above
        timer = asyncio.get_running_loop().call_later(self._seconds, job.cancel)
        try:
            result = await asyncio.wrap_future(job.future)
        finally:
            timer.cancel()
            self._places.give_back(holder)
        if failures.is_failing:
            failures.note_success()
        return result

    async def close(self) -> None:
        """Close the sessions, after the running jobs."""
        for _ in self._threads:
            self._tickets.put(False)  # noqa: FBT003 - as above
        for thread in self._threads:
            await asyncio.to_thread(thread.join, _CLOSING_SECONDS)

    def _run_jobs(self) -> None:
        session: Session | None = None
        is_closing = False
        while not is_closing:
            with suppress(Empty):
                if self._tickets.get(timeout=_IDLE_SECONDS):
                    with self._lock:  # the holder whose turn was longest ago
                        holder, jobs = self._waiting.popitem(last=False)
                        job = jobs.popleft()
                        if jobs:
                            self._waiting[holder] = jobs
                    session = job.run(session, self._open_session)
                    continue
                is_closing = True
            if session is not None:
                session.close()
                session = None


def _is_current(session: Session) -> bool:
    """Whether a kept session can still be used; if not, it is closed."""
    try:
        session.revalidate()
    except SetupError:
        session.close()
        return False
    return True


def _settle(settle: Callable[[Any], None], outcome: object) -> bool:
    """Set a job's outcome; returns whether it had none before."""
    try:
        settle(outcome)
    except InvalidStateError:
        return False
    return True


def _explain(*, is_undone: bool) -> PlantStoreError:
    return DatabaseUnavailableError() if is_undone else OutcomeUnknownError()
