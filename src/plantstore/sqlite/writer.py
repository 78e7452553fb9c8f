"""Group commit: all waiting writes become one transaction.

The event loop executes a batch's statements, which takes microseconds; the writer's own thread
waits for the disk, and for locks. Writes that arrive meanwhile form the next batch.

Invariant: a write's future gets an outcome only after its commit is durable; a write that timed out
is never executed.
"""

import asyncio
import logging
import math
import time
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import apsw

from plantstore.core.completion import Completion
from plantstore.core.errors import DatabaseUnavailableError, OutcomeUnknownError
from plantstore.core.failures import FailureLog
from plantstore.core.fair_queue import ITERATIONS
from plantstore.core.model import DONE
from plantstore.core.operations import Atomic, Write, Written, refuse_unless_done
from plantstore.core.thread import Thread
from plantstore.core.write_queue import MAX_BATCH, WriteQueue
from plantstore.sqlite.batch import BatchWriter, RecordTokenUses
from plantstore.sqlite.connection import BUSY_TIMEOUT_MS, close_at_stop, connect, roll_back
from plantstore.sqlite.errors import (
    BLOCKED,
    BROKEN,
    OF_THE_DATABASE,
    breaks,
    explain_write,
    is_unsure,
)
from plantstore.sqlite.file_lock import FileLock
from plantstore.sqlite.files import OpenFiles

logger = logging.getLogger(__name__)

_CHECKPOINT_PAGES = 1000
_PAGE_SECONDS = 0.000015  # of a commit, about
_SWEEP_SECONDS = 1.0
_GATHERING_SECONDS = 0.005
_LENT_SECONDS = 0.001  # to a thread, also of another worker, that polls for the lock
_APPLYING_SECONDS = 0.0005  # before the loop runs other tasks: a shared batch of short writes

_PROBE = RecordTokenUses("[]")  # changes nothing

Item = Write | RecordTokenUses | Atomic
Pending = tuple[Item, Completion[Written], float]


class Writer:
    """The only writer of this process.

    Stores share the ``queue``. A write that has not begun within ``timeout`` seconds times out.
    ``broken`` gets the error that ends all writing; ``worked_at`` is the loop's time of the last
    commit.
    """

    def __init__(self, path: Path, queue: WriteQueue, timeout: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._timeout = timeout
        self._name = path.name
        self._lock = FileLock(path)
        self.files = OpenFiles(path)
        self._connection = connect(path)
        self._connection.set_wal_hook(self._note_wal_size)
        self._batches = BatchWriter(self._connection)
        self._thread = Thread("writer")
        self._wal_pages = 0
        self._is_last = True  # whether the lock is released after the batch
        self._error: apsw.Error | None = None  # of the last batch
        self.worked_at = -math.inf
        self._failures = FailureLog(logger, "writes work again")
        self._checkpoint_failures = FailureLog(logger, "checkpoints work again")
        self.pending = defaultdict[int, deque[Pending]](deque)  # by store
        self._queue = queue
        self._late_at = -math.inf  # when a write last timed out
        self._running: asyncio.Task[None] | None = None
        self.broken: asyncio.Future[Exception] = self._loop.create_future()
        self._sweep = self._loop.call_later(_SWEEP_SECONDS, self._time_out_late)

    def submit(self, write: Item) -> "asyncio.Future[Written]":
        """Queue a write; the future gets its outcome, or the error."""
        if self.broken.done():
            raise DatabaseUnavailableError
        self._queue.enter(write.store_id)
        future: Completion[Written] = Completion(loop=self._loop)
        self.pending[write.store_id].append((write, future, self._loop.time() + self._timeout))
        if self._running is None:
            # It begins after this iteration of the loop, with all requests read in it.
            self._running = self._loop.create_task(self._run())
        return future

    @property
    def depth(self) -> int:
        """How many writes wait."""
        return sum(map(len, self.pending.values()))

    def probe(self) -> "asyncio.Future[Written]":
        """Run a batch that writes nothing, together with what is waiting."""
        future = self.submit(_PROBE)
        future.add_done_callback(asyncio.Future.exception)  # maybe nobody awaits it any more
        return future

    def find_reason(self) -> str | None:
        """Why writes have failed, or timed out without a commit in that time; None if not so."""
        if self.broken.done():
            return BROKEN
        if self._error is not None:
            return explain_write(self._error, self._name)
        return BLOCKED if self._late_at - self._timeout > self.worked_at else None

    async def close(self) -> bool:
        """Commit the waiting writes and close the file; returns whether that succeeded."""
        self._sweep.cancel()
        if self._running is not None:
            await asyncio.wait([self._running], timeout=self._timeout)
        if self._running is not None:  # another process does not release the lock
            logger.error("%d writes were not executed when the service stopped", self.depth)
            return False
        if self.broken.done():
            # Closing would checkpoint the WAL, and trust the disk again.
            self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        close_at_stop(self._connection)
        self._lock.close()
        self._thread.end()
        return True

    def _time_out_late(self) -> None:
        now = self._loop.time()
        late = list[Pending]()
        for waiting in self.pending.values():
            while waiting and waiting[0][2] <= now:
                late.append(waiting.popleft())
        self._late_at = now if late else self._late_at
        for _, future, _ in late:
            future.settle(DatabaseUnavailableError())
        self._sweep = self._loop.call_later(_SWEEP_SECONDS, self._time_out_late)

    async def _run(self) -> None:
        try:
            while self.pending and not self.broken.done():
                await self._gather()
                await self._write_batch()
        except Exception as error:
            logger.exception("the writer cannot continue")
            self._break(error)
        for waiting in self.pending.values():  # none unless the writer is broken
            for _, future, _ in waiting:
                future.settle(DatabaseUnavailableError())
        self.pending.clear()
        self._running = None

    async def _gather(self) -> None:
        """Wait while writes arrive: a commit costs as much CPU as ten writes."""
        enough, most_idle = MAX_BATCH, 1  # writes; iterations of the loop in which none arrive
        if self._queue.stores.are_several:
            enough = self._queue.shared
            most_idle = 1 if self._queue.is_uneven else ITERATIONS  # some wait for their turns
        until, idle = self._loop.time() + _GATHERING_SECONDS, 0
        while idle < most_idle and self._loop.time() < until:
            seen = self.depth
            await asyncio.sleep(0)
            idle = 0 if self.depth > seen else idle + 1
            if self.depth >= enough:
                break
        while self._lock.is_wanted and self._loop.time() < until:  # noqa: ASYNC110
            await asyncio.sleep(_LENT_SECONDS)

    async def _write_batch(self) -> None:
        wanted = time.perf_counter()
        if not self._lock.try_acquire():
            await self._thread.run(self._lock.acquire)
        waited = time.perf_counter() - wanted  # for the work of other processes
        try:
            batches: list[list[Pending]] = [[]]  # each atomic is alone
            for write in self._next_batch():
                if write[1].done():  # timed out, or cancelled
                    continue
                if type(write[0]) is Atomic:
                    batches.append([write])
                else:
                    batches[0].append(write)
            for batch in filter(None, batches):
                began = time.perf_counter()
                self._is_last = batch is batches[-1]
                results = await self._commit(batch)
                if isinstance(batch[0][0], Atomic):
                    batch[0][0].seconds = waited + time.perf_counter() - began
                for (_, future, _), result in zip(batch, results, strict=True):
                    future.settle(result)
            if self._wal_pages >= _CHECKPOINT_PAGES and not self.broken.done():
                await self._thread.run(self._checkpoint)
        finally:
            self._lock.release()

    def _next_batch(self) -> Sequence[Pending]:
        """Remove the next batch from the queue: a share of each store's, those with few first."""
        batch, costs, are_several = list[Pending](), Counter[int](), self._queue.stores.are_several
        atomics = [it[0] for it in self.pending.values() if it and type(it[0][0]) is Atomic]
        first = min(atomics, key=itemgetter(2), default=None)  # the only one, if others wait
        for store_id, waiting in sorted(self.pending.items(), key=lambda item: len(item[1])):
            while waiting and len(batch) < MAX_BATCH:
                if are_several:
                    if type(waiting[0][0]) is Atomic and waiting[0] is not first:
                        break
                    if not self._queue.try_leave(store_id, waiting[0][0], costs):
                        break
                batch.append(waiting.popleft())
            if not waiting:
                del self.pending[store_id]
        self._queue.note_batch(costs)
        return batch

    async def _commit(self, batch: Sequence[Pending]) -> Sequence[Written | Exception]:
        if self.broken.done():  # by an earlier commit of this batch
            return [DatabaseUnavailableError() for _ in batch]
        try:
            outcomes = await self._write([write for write, _, _ in batch])
        except OF_THE_DATABASE as error:
            self._error = error
            self._failures.add("a batch of %d writes failed: %s", len(batch), error)
            if breaks(error):
                self._break(error)
            reported = OutcomeUnknownError if is_unsure(error) else DatabaseUnavailableError
            return [reported() for _ in batch]
        except Exception as error:  # noqa: BLE001 - the write that caused it gets it
            if len(batch) == 1:
                return [error]
            # One write caused it, and must not fail the others.
            self._is_last = False  # the lock is held until all are written
            return [(await self._commit([pending]))[0] for pending in batch]
        self._error, self.worked_at = None, self._loop.time()
        self._failures.note_success()
        return outcomes

    async def _write(self, items: Sequence[Item]) -> Sequence[Written]:
        """Write all in one transaction; on any error nothing is written. An atomic is alone."""
        atomic = items[0] if isinstance(items[0], Atomic) else None
        writes: Sequence[Any] = items if atomic is None else atomic.writes
        try:
            self.files.require_same()
            try:
                self._batches.begin()
            except apsw.BusyError:
                await self._thread.run(partial(self._batches.begin, BUSY_TIMEOUT_MS))
            if self._error is not None:  # write a page: the commit of an empty batch writes none
                self._connection.pragma("user_version", self._connection.pragma("user_version"))
            outcomes: list[Written] = []
            began = time.perf_counter()
            for write in writes:
                if time.perf_counter() - began > _APPLYING_SECONDS:
                    self._batches.write_events()
                    await asyncio.sleep(0)
                    began = time.perf_counter()
                outcomes.append(self._batches.apply(write))
                if atomic is not None and outcomes[-1][0] not in DONE:
                    break
            if atomic is not None:
                refuse_unless_done(outcomes)
            self._batches.finish()
            began, pages = time.perf_counter(), self._wal_pages
            await self._thread.run(self._end_batch)
        except BaseException:
            roll_back(self._connection)
            raise
        if writes != [_PROBE]:
            count = len(writes) - (_PROBE in writes)
            applying = max(self._wal_pages - pages, 0) * _PAGE_SECONDS  # 0 if the WAL is begun anew
            self._queue.note_commit(writes, outcomes, count, time.perf_counter() - began, applying)
        return outcomes if atomic is None else outcomes[-1:]

    def _end_batch(self) -> None:
        """Commit; other processes need not wait until the event loop goes on."""
        self._batches.commit()
        if self._is_last and self._wal_pages < _CHECKPOINT_PAGES:
            self._lock.release()

    def _checkpoint(self) -> None:
        """Copy a large WAL, after the responses; before others commit, or it may never restart."""
        try:
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        except apsw.BusyError:
            pass  # another process is checkpointing
        except apsw.Error as error:
            self._checkpoint_failures.add("a checkpoint failed and will be retried: %s", error)
            if breaks(error):
                self._loop.call_soon_threadsafe(self._break, error)
        else:
            self._checkpoint_failures.note_success()
        self._wal_pages = 0

    def _break(self, error: Exception) -> None:
        if not self.broken.done():
            self.broken.set_result(error)

    def _note_wal_size(self, _connection: apsw.Connection, _database: str, pages: int) -> int:
        self._wal_pages = pages
        return apsw.SQLITE_OK
