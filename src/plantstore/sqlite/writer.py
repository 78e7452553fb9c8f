"""Group commit: all waiting writes become one transaction, then those that arrived meanwhile.

The event loop executes a batch's statements, which takes microseconds; the writer's own thread
waits for the disk, and for locks. Writes that arrive meanwhile form the next batch.

Invariant: a write's future has an outcome only after its commit is durable, and a write that timed
out was never executed.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from pathlib import Path

import apsw

from plantstore.database import CommitObserver
from plantstore.errors import (
    DatabaseUnavailableError,
    OutcomeUnknownError,
    OverloadedError,
)
from plantstore.model import Outcome
from plantstore.sql.writes import Write
from plantstore.sqlite.batch import BatchWriter, Trim
from plantstore.sqlite.connection import connect, open_lock
from plantstore.sqlite.thread import Thread

logger = logging.getLogger(__name__)

_CHECKPOINT_PAGES = 1000
_SWEEP_SECONDS = 1.0
_MAX_IN_A_ROW = 64  # writes that are applied before the loop runs other tasks

# After a failed fsync the kernel may drop the pages and report the next fsync as good.
_BREAKING = frozenset({apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_IOERR_DIR_FSYNC})

# With these a commit may be in the WAL but not in its index: recovery after a crash would find it.
_UNSURE = frozenset({apsw.SQLITE_IOERR_SHMMAP, apsw.SQLITE_IOERR_SHMSIZE, apsw.SQLITE_NOMEM})

# These fail a batch as a whole; any other error belongs to one write.
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

Pending = tuple[Write | Trim, "asyncio.Future[Outcome]", float]


class Writer:
    """The only writer of this process.

    ``max_waiting`` bounds the queue; a write not begun within ``timeout`` seconds times out.
    ``broken`` gets the error after which nothing more is written. The ``observers`` get each
    commit.
    """

    def __init__(
        self,
        path: Path,
        max_waiting: int,
        timeout: float,
        observers: Sequence[CommitObserver] = (),
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._max_waiting = max_waiting
        self._timeout = timeout
        self._observers = observers
        self._lock = open_lock(path)
        self._connection = connect(path)
        self._connection.set_wal_hook(self._note_wal_size)
        self._batches = BatchWriter(self._connection, time.time)
        self._thread = Thread("writer")
        self._wal_pages = 0
        self._pending: list[Pending] = []
        self._is_late = False
        self._running: asyncio.Task[None] | None = None
        self.broken: asyncio.Future[Exception] = self._loop.create_future()
        self._sweep = self._loop.call_later(_SWEEP_SECONDS, self._time_out_late)

    def submit(self, write: Write | Trim) -> "asyncio.Future[Outcome]":
        """Queue a write; the future gets its outcome, or the error."""
        if self.broken.done():
            raise DatabaseUnavailableError
        if len(self._pending) >= self._max_waiting:
            raise OverloadedError
        future: asyncio.Future[Outcome] = self._loop.create_future()
        self._pending.append((write, future, self._loop.time() + self._timeout))
        if self._running is None:
            # It begins after this iteration of the loop, with all requests read in it.
            self._running = self._loop.create_task(self._run())
        return future

    @property
    def queue_depth(self) -> int:
        """Writes that wait for the next batch."""
        return len(self._pending)

    def require_working(self) -> None:
        """Return unless writes have timed out since the last batch.

        :raises DatabaseUnavailableError: some have.
        """
        if self.broken.done() or self._is_late:
            raise DatabaseUnavailableError

    async def close(self) -> bool:
        """Commit what is waiting, and close the file; whether that was possible."""
        self._sweep.cancel()
        if self._running is not None:
            await asyncio.wait([self._running], timeout=self._timeout)
        if self._running is not None:  # another process does not release the lock
            logger.error("%d writes were not executed when the service stopped", len(self._pending))
            return False
        if self.broken.done():
            # Closing would checkpoint the WAL, and rely on the disk once more.
            self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        self._connection.close()
        self._lock.close()
        self._thread.end()
        return True

    def _time_out_late(self) -> None:
        late = [pending for pending in self._pending if pending[2] <= self._loop.time()]
        del self._pending[: len(late)]
        self._is_late = self._is_late or bool(late)
        _deliver(late, [DatabaseUnavailableError() for _ in late])
        self._sweep = self._loop.call_later(_SWEEP_SECONDS, self._time_out_late)

    async def _run(self) -> None:
        """Write what is waiting, batch after batch."""
        try:
            while self._pending and not self.broken.done():
                await self._write_batch()
        except Exception as error:
            logger.exception("the writer cannot continue")
            self._break(error)
        waiting, self._pending = self._pending, []  # not empty only if it is broken
        _deliver(waiting, [DatabaseUnavailableError() for _ in waiting])
        self._running = None

    async def _write_batch(self) -> None:
        if not self._lock.try_acquire():
            await self._thread.run(self._lock.acquire)
        try:
            self._is_late = False  # some may have timed out, but now the lock is free
            pending, self._pending = self._pending, []
            batch = [one for one in pending if not one[1].done()]
            results = await self._commit(batch)
        finally:
            self._lock.release()
        _deliver(batch, results)
        if self._wal_pages >= _CHECKPOINT_PAGES and not self.broken.done():
            await self._thread.run(self._checkpoint)

    async def _commit(self, batch: Sequence[Pending]) -> Sequence[Outcome | Exception]:
        if self.broken.done():  # by another write of the batch, committed alone
            return [DatabaseUnavailableError() for _ in batch]
        try:
            return await self._write([write for write, _, _ in batch])
        except _OF_THE_DATABASE as error:
            logger.error("a batch of %d writes failed: %s", len(batch), error)  # noqa: TRY400 - the message has the cause
            if _breaks(error):
                self._break(error)
            is_unsure = _breaks(error) or _code_of(error) in _UNSURE
            reported = OutcomeUnknownError if is_unsure else DatabaseUnavailableError
            return [reported() for _ in batch]
        except Exception as error:  # noqa: BLE001 - the write that caused it gets it
            if len(batch) == 1:
                return [error]
            # One of them caused it, and must not fail the others.
            return [(await self._commit([pending]))[0] for pending in batch]

    async def _write(self, writes: Sequence[Write | Trim]) -> list[Outcome]:
        """Write all in one transaction; on any error nothing is written."""
        try:
            if not self._batches.try_begin():
                await self._thread.run(self._batches.begin)
            outcomes: list[Outcome] = []
            for start in range(0, len(writes), _MAX_IN_A_ROW):
                outcomes += map(self._batches.apply, writes[start : start + _MAX_IN_A_ROW])
                if len(outcomes) < len(writes):
                    await asyncio.sleep(0)
            self._batches.finish()
            began = time.perf_counter()
            await self._thread.run(self._batches.commit)
        except BaseException:
            self._batches.roll_back()
            raise
        for observe in self._observers:
            observe(len(writes), time.perf_counter() - began)
        return outcomes

    def _checkpoint(self) -> None:
        """Copy a grown WAL into the database, after the responses are sent."""
        try:
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        except apsw.BusyError:
            pass  # another process is checkpointing
        except apsw.Error as error:
            logger.warning("a checkpoint failed and will be retried: %s", error)
            if _breaks(error):
                self._loop.call_soon_threadsafe(self._break, error)
        self._wal_pages = 0

    def _break(self, error: Exception) -> None:
        if not self.broken.done():
            self.broken.set_result(error)

    def _note_wal_size(self, _connection: apsw.Connection, _database: str, pages: int) -> int:
        self._wal_pages = pages
        return apsw.SQLITE_OK


def _breaks(error: apsw.Error) -> bool:
    # Corruption has several codes, one for an index.
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
