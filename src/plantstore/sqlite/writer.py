"""Group commit: one thread that turns the writes waiting into transactions.

Writes that arrive while a commit is under way form the next one. Invariant: a write's future has
an outcome only after its commit is durable, and a write that was given up was never taken.
"""

import asyncio
import logging
import threading
from collections.abc import Sequence
from pathlib import Path

import apsw

from plantstore.clock import now
from plantstore.errors import (
    DatabaseUnavailableError,
    OutcomeUnknownError,
    OverloadedError,
)
from plantstore.model import Outcome
from plantstore.sql.writes import Write
from plantstore.sqlite.batch import BatchWriter
from plantstore.sqlite.connection import connect, open_lock

logger = logging.getLogger(__name__)

_CHECKPOINT_PAGES = 1000
_SWEEP_SECONDS = 1.0

# After a failed fsync the kernel may drop the pages and report the next fsync as good.
_BREAKING = frozenset({apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_IOERR_DIR_FSYNC})

# With these a commit may be in the log, though not in its index: who reads the log anew, after a
# crash, would find it.
_UNSURE = frozenset({apsw.SQLITE_IOERR_SHMMAP, apsw.SQLITE_IOERR_SHMSIZE, apsw.SQLITE_NOMEM})

# These befall a batch as a whole; any other error is one write's.
_OF_THE_DATABASE = (
    apsw.BusyError,
    apsw.CantOpenError,
    apsw.CorruptError,
    apsw.FullError,
    apsw.IOError,
    apsw.LockedError,
    apsw.NoMemError,
    apsw.NotADBError,
    apsw.ReadOnlyError,
)

Pending = tuple[Write, "asyncio.Future[Outcome]", float]


class Writer:
    """The only writer of this process.

    ``max_waiting`` bounds the queue; a write not taken within ``timeout`` seconds is given up.
    ``broken`` gets the fault after which nothing is written any more.
    """

    def __init__(self, path: Path, max_waiting: int, timeout: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._max_waiting = max_waiting
        self._timeout = timeout
        self._lock = open_lock(path)
        self._connection = connect(path)
        self._connection.set_wal_hook(self._note_wal_size)
        self._batches = BatchWriter(self._connection, now)
        self._wal_pages = 0
        self._pending: list[Pending] = []
        self._arrived = threading.Condition()
        self._closing = False
        self._is_broken = False
        self._is_late = False
        self.broken: asyncio.Future[Exception] = self._loop.create_future()
        self._sweep = self._loop.call_later(_SWEEP_SECONDS, self._give_up_late)
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def submit(self, write: Write) -> "asyncio.Future[Outcome]":
        """Queue a write; the future ends with its outcome, or with why there is none."""
        if self.broken.done():
            raise DatabaseUnavailableError
        if len(self._pending) >= self._max_waiting:
            raise OverloadedError
        future: asyncio.Future[Outcome] = self._loop.create_future()
        with self._arrived:
            # Looked at where the thread cannot take them meanwhile: this write would wait for ever.
            is_first = not self._pending
            self._pending.append((write, future, self._loop.time() + self._timeout))
        if is_first:
            # Only after this round of the loop, so that all requests that it reads come along.
            self._loop.call_soon(self._wake)
        return future

    def require_working(self) -> None:
        """Return where writes have not failed to be taken of late.

        :raises DatabaseUnavailableError: they have.
        """
        if self._is_broken or self._is_late:
            raise DatabaseUnavailableError

    async def close(self) -> bool:
        """Commit what is waiting, and end the thread; whether that was possible."""
        self._sweep.cancel()
        with self._arrived:
            self._closing = True
            self._arrived.notify()
        await self._loop.run_in_executor(None, self._thread.join, self._timeout)
        if self._thread.is_alive():  # another process does not give up the lock
            logger.error("%d writes were not taken when the service stopped", len(self._pending))
            return False
        if self._is_broken:
            # Closing would write the WAL back, and rely on the disk once more.
            self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        self._connection.close()
        self._lock.close()
        return True

    def _wake(self) -> None:
        with self._arrived:
            self._arrived.notify()

    def _give_up_late(self) -> None:
        with self._arrived:
            now = self._loop.time()
            late = [pending for pending in self._pending if pending[2] <= now]
            del self._pending[: len(late)]
            self._is_late = self._is_late or bool(late)
        _deliver(late, [DatabaseUnavailableError() for _ in late])
        self._sweep = self._loop.call_later(_SWEEP_SECONDS, self._give_up_late)

    # From here on, in the writer's thread.

    def _run(self) -> None:
        try:
            while not self._is_broken and self._wait():
                with self._lock.held():
                    batch = self._take()
                    results = self._commit(batch)
                self._is_late = False
                self._loop.call_soon_threadsafe(_deliver, batch, results)
                if not self._is_broken:
                    self._checkpoint()
        except Exception as error:
            logger.exception("the writer cannot go on")
            self._break(error)

    def _wait(self) -> bool:
        """Wait for a write; False when closing and none is left."""
        with self._arrived:
            while True:
                self._is_late = False  # whatever was given up: the thread takes what comes
                if self._pending or self._closing:
                    return bool(self._pending)
                self._arrived.wait()

    def _take(self) -> list[Pending]:
        with self._arrived:
            batch, self._pending = self._pending, []
        return [pending for pending in batch if not pending[1].done()]

    def _commit(self, batch: Sequence[Pending]) -> Sequence[Outcome | Exception]:
        if self._is_broken:  # since a neighbour was committed alone
            return [DatabaseUnavailableError() for _ in batch]
        try:
            return self._batches.write([write for write, _, _ in batch])
        except _OF_THE_DATABASE as error:
            logger.error("a batch of %d writes failed: %s", len(batch), error)  # noqa: TRY400 - the cause is in the sentence
            if _breaks(error):
                self._break(error)
            is_unsure = _breaks(error) or _code_of(error) in _UNSURE
            told = OutcomeUnknownError if is_unsure else DatabaseUnavailableError
            return [told() for _ in batch]
        except Exception as error:  # noqa: BLE001 - it is given to the one whose fault it is
            if len(batch) == 1:
                return [error]
            # One of them is at fault: it must not fail its neighbours.
            return [self._commit([pending])[0] for pending in batch]

    def _checkpoint(self) -> None:
        """Move the WAL into the database when it has grown, after the answers are out."""
        if self._wal_pages < _CHECKPOINT_PAGES:
            return
        try:
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        except apsw.BusyError:
            pass  # another process is at it
        except apsw.Error as error:
            logger.warning("a checkpoint failed, and will be tried again: %s", error)
            if _breaks(error):
                self._break(error)
        self._wal_pages = 0

    def _break(self, error: Exception) -> None:
        self._is_broken = True

        def set_broken() -> None:
            if not self.broken.done():
                self.broken.set_result(error)
            waiting = self._take()
            _deliver(waiting, [DatabaseUnavailableError() for _ in waiting])

        self._loop.call_soon_threadsafe(set_broken)

    def _note_wal_size(self, _connection: apsw.Connection, _database: str, pages: int) -> int:
        self._wal_pages = pages
        return apsw.SQLITE_OK


def _breaks(error: apsw.Error) -> bool:
    # Damage has many codes, one for an index.
    return isinstance(error, apsw.CorruptError) or _code_of(error) in _BREAKING


def _code_of(error: apsw.Error) -> int:
    code: int = getattr(error, "extendedresult", 0)  # apsw's type stubs do not know it
    return code


def _deliver(batch: Sequence[Pending], results: Sequence[Outcome | Exception]) -> None:
    for (_, future, _), result in zip(batch, results, strict=True):
        if future.done():  # its request was cancelled
            continue
        if isinstance(result, Outcome):
            future.set_result(result)
        else:
            future.set_exception(result)
