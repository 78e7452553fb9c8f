"""A store as it was at one moment, on a connection of its own, for a long list.

One thread at a time uses the connection, never the event loop's thread.

SQLite can move into the database only the part of the WAL that no snapshot needs. While the WAL
grows beyond its bound, new snapshots wait until the others end. If some do not end soon, these are
aborted later, and only their stores wait: the WAL restarts when no snapshot is left.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, Future, wait
from pathlib import Path
from typing import Any, TypeVar

import apsw

from plantstore.core.database import Row
from plantstore.core.errors import DatabaseUnavailableError
from plantstore.sql.reading import MAX_TEXT, TOO_LONG, SnapshotReads
from plantstore.sqlite.connection import connect
from plantstore.sqlite.data_version import DataVersion
from plantstore.sqlite.errors import unavailable

logger = logging.getLogger(__name__)

_INTERVAL = 0.1  # seconds between two checks of the WAL
_SOON = 0.5  # seconds in which most lists end
_GRACE = 5.0  # seconds for each list: another store may be the one that fills the WAL

Result = TypeVar("Result")


class SQLiteSnapshot(SnapshotReads):
    """A read transaction that ``began`` at the loop's time; it is ``opened`` until it is closed."""

    is_aborted = False

    def __init__(
        self,
        store_id: int,
        sql: dict[str, str],
        threads: Executor,
        opened: "dict[SQLiteSnapshot, None]",
    ) -> None:
        super().__init__(store_id)
        self._sql = sql
        self._threads = threads
        self._opened = opened
        self._connection: apsw.Connection | None = None
        self._last: Future[Any] | None = None
        self._abort_list: Callable[[], object] = lambda: None

    async def open(self, path: Path) -> None:
        """Begin the transaction: from now on the snapshot stays as it is."""
        self._opened[self] = None
        self.began = asyncio.get_running_loop().time()
        try:
            await self._run(lambda: self._open(path))
        except BaseException:
            self._submit(self._close)  # even while it is being opened
            self._opened.pop(self, None)
            raise

    def watch(self, abort: Callable[[], object]) -> None:
        self._abort_list = abort

    def abort(self) -> None:
        """End the transaction, even if a read is in progress."""
        self.is_aborted = True
        self._submit(self._close)
        self._abort_list()

    async def close(self) -> None:
        await self._run(self._close)
        self._opened.pop(self, None)

    def _open(self, path: Path) -> None:
        self._connection = connect(path)
        self._connection.limit(apsw.SQLITE_LIMIT_LENGTH, MAX_TEXT)
        self._execute = self._connection.cursor().execute
        self._execute("BEGIN")
        self.revision, *_ = self._execute(self._sql["find_counts"], (self.store_id,)).get or (0,)

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    async def query(self, name: str, arguments: tuple[Any, ...]) -> Sequence[Row]:
        if self.is_aborted:
            raise DatabaseUnavailableError
        try:
            return await self._run(lambda: self._execute(self._sql[name], arguments).fetchall())
        except apsw.TooBigError:
            return TOO_LONG

    async def _run(self, function: Callable[[], Result]) -> Result:
        try:
            return await asyncio.wrap_future(self._submit(function))
        except apsw.TooBigError:
            raise
        except apsw.Error as error:
            raise unavailable(error) from error

    def _submit(self, function: Callable[[], Result]) -> Future[Result]:
        # One after another, even if the previous caller was cancelled.
        before = self._last

        def run() -> Result:
            if before is not None:
                wait([before])
            return function()

        self._last = running = self._threads.submit(run)
        return running


class WalBound:
    """Bounds the WAL to about ``max_size`` bytes by aborting ``snapshots``, the oldest first."""

    def __init__(
        self, data_version: DataVersion, max_size: int, snapshots: Iterable[SQLiteSnapshot]
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._data_version = data_version
        self._max_size = max_size
        self._snapshots = snapshots
        self._size = 0
        self._is_over = False  # and grows: if nothing is written, the WAL cannot restart
        self._lets_pass = False
        self._within_at = 0.0  # when the WAL was last seen within its bound
        self._barred: dict[int, float] = {}  # until when, by store
        self._timer: asyncio.TimerHandle | None = None

    async def watch(self, store_id: int) -> None:
        """Wait until the WAL may be kept by one more snapshot; watch it until none is left."""
        while self._must_wait(store_id):  # noqa: ASYNC110 - an event would be set at the same times
            await asyncio.sleep(_INTERVAL)
        if self._timer is None:
            self._within_at = self._loop.time()
            self._size = self._data_version.count_wal_bytes()
            self._timer = self._loop.call_later(_INTERVAL, self._look)

    def _must_wait(self, store_id: int) -> bool:
        is_barred = self._loop.time() < self._barred.get(store_id, 0.0)
        return is_barred or (self._is_over and not self._lets_pass)

    def _look(self) -> None:
        size = self._data_version.count_wal_bytes()
        held = [snapshot for snapshot in self._snapshots if not snapshot.is_aborted]
        self._is_over = self._max_size < size > self._size
        now = self._loop.time()
        oldest = held[0].began if held else now
        if size <= self._max_size:
            self._within_at = now
            self._barred.clear()
        # A slow list is aborted soon; after that, lists that overlap would keep the WAL for ever.
        self._lets_pass = oldest + _SOON < now < self._within_at + 2 * _GRACE
        if oldest + _GRACE < now and self._max_size < self._size < size:  # it did not restart
            logger.warning("aborted a long list: the WAL is over max_wal_size, %d bytes", size)
            self._barred[held[0].store_id] = now + 2 * _GRACE  # while the store's others end
            held[0].abort()
        self._size, is_needed = size, held or self._is_over
        self._timer = self._loop.call_later(_INTERVAL, self._look) if is_needed else None

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
