"""Runs work on the database's administration for requests: one at a time, each with a deadline.

Each runs in a thread, on a session of its own, so that the event loop never waits. Invariant: work
that is given up at its deadline commits nothing afterwards, unless its commit had begun.
"""

import asyncio
import logging
import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, InvalidStateError
from contextlib import closing, contextmanager, suppress
from functools import partial
from typing import Generic, TypeVar

from plantstore.errors import (
    DatabaseUnavailableError,
    OutcomeUnknownError,
    OverloadedError,
    PlantStoreError,
    SetupError,
)
from plantstore.failures import FailureLog
from plantstore.sql.session import OpenSession, Session

failures = FailureLog(logging.getLogger(__name__), "access can be administered again")

_MAX_WAITING = 64
_MAX_OF_ONE = 8  # of those: a user's, or all that have no token

Result = TypeVar("Result")


class Attempt(Generic[Result]):
    """Work that is attempted once; ``future`` has its result.

    Who commits sets the future running before, and who gives up cancels it: only one of them can.
    """

    def __init__(
        self, open_session: OpenSession, work: "Callable[[Attempt[Result]], Result]"
    ) -> None:
        self._open_session = open_session
        self._work = work
        self.future: Future[Result] = Future()
        self._session: Session | None = None

    def start(self) -> None:
        """Run the work in a thread. As a daemon it never keeps the process from exiting."""
        threading.Thread(target=self._run, name="access", daemon=True).start()

    @property
    def session(self) -> Session:
        """The session, for the work."""
        assert self._session is not None  # noqa: S101 - the work runs while it is open
        return self._session

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """As the session's, but what was given up is not committed."""
        with self.session.transaction():
            yield
            if not self.future.set_running_or_notify_cancel():
                raise DatabaseUnavailableError

    def give_up(self) -> PlantStoreError:
        """Wait no longer; the error says whether anything may have been written."""
        is_undone = self.future.cancel()
        if self._session is not None:
            self._session.abort()
        return DatabaseUnavailableError() if is_undone else OutcomeUnknownError()

    def _run(self) -> None:
        try:
            with closing(self._open_session()) as self._session:
                settle = partial(self.future.set_result, self._work(self))
        except SetupError as error:
            settle = partial(self.future.set_exception, self._explain(error))
        except BaseException as error:  # noqa: BLE001 - the request gets it
            settle = partial(self.future.set_exception, error)
        with suppress(InvalidStateError):  # it was given up
            settle()

    def _explain(self, error: SetupError) -> PlantStoreError:
        failures.add("access cannot be administered: %s", error)
        return OutcomeUnknownError() if self.future.running() else DatabaseUnavailableError()


class Attempts:
    """Attempts of one process, each for at most ``seconds``, with the wait for its turn."""

    def __init__(self, open_session: OpenSession, seconds: float) -> None:
        self._open_session = open_session
        self._seconds = seconds
        self._turn = asyncio.Lock()
        self._waiting: Counter[Hashable] = Counter()

    async def run(self, key: Hashable, work: Callable[[Attempt[Result]], Result]) -> Result:
        """The result of work; ``key`` is the user that it is for.

        :raises PlantStoreError: what the work raises; or the database did not do it in time; or
            too many wait already.
        """
        if self._waiting[key] >= _MAX_OF_ONE or self._waiting.total() >= _MAX_WAITING:
            raise OverloadedError
        self._waiting[key] += 1
        try:
            # In a task: deadlines need one, and requests are handled outside of any.
            return await asyncio.ensure_future(self._run_in_turn(work))
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key]

    async def _run_in_turn(self, work: Callable[[Attempt[Result]], Result]) -> Result:
        attempt = Attempt(self._open_session, work)
        try:
            async with asyncio.timeout(self._seconds), self._turn:
                attempt.start()
                result = await asyncio.wrap_future(attempt.future)
        except TimeoutError:
            raise attempt.give_up() from None
        failures.note_success()
        return result
