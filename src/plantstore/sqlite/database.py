"""The database for serving, on SQLite.

Callers, short pages and short reads of features run on the event loop, in microseconds. Writes go
to the writer, long lists and longer reads to a few threads: among several stores, each uses one.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import msgspec

from plantstore.core.database import Row
from plantstore.core.model import Caller, NewPlant, Page, PlantQuery
from plantstore.core.operations import Written
from plantstore.core.settings import Settings
from plantstore.core.thread import give_precedence
from plantstore.core.write_queue import WriteQueue
from plantstore.sql.queries import load_queries
from plantstore.sql.reading import MAX_TEXT, TOO_LONG, page_query, to_caller, to_page
from plantstore.sql.token_uses import TokenUses, Use
from plantstore.sqlite.batch import RecordTokenUses
from plantstore.sqlite.connection import close_at_stop, connect, database_path, explained, open_file
from plantstore.sqlite.data_version import DataVersion
from plantstore.sqlite.errors import read_failures, unavailable
from plantstore.sqlite.readiness import Readiness
from plantstore.sqlite.snapshot import SQLiteSnapshot, WalBound
from plantstore.sqlite.writer import Writer

_READER_THREADS = 4
_UNBOUNDED = 2**30
_BRIEF_SECONDS, _STEPS = 0.0001, 200  # of the CPU, for a read; SQLite's, between looks
_MAX_IN_A_ROW = 64  # callers read before the loop runs other tasks
_CACHE_MIB = 16  # with SQLite's default of 2, most pages of 10^5 plants are reread from the file


class SQLiteDatabase:
    """Serves one file. Create it on the event loop that uses it."""

    def __init__(self, settings: Settings) -> None:
        self._path = database_path(settings.database)
        self._sql = load_queries("plantstore.sqlite")
        self._uses = TokenUses(self._write_uses)
        self.write_token_uses = self._uses.write  # its commit invalidates cached callers
        self.writes = WriteQueue(settings)
        self.long_page = 10
        self._connection = open_file(self._path, _CACHE_MIB)
        with explained(self._path):
            self._connection.limit(apsw.SQLITE_LIMIT_LENGTH, MAX_TEXT)
            self._execute = self._connection.cursor().execute
            self._read_little()  # creates the WAL index
            self._readers = [connect(self._path) for _ in range(_READER_THREADS)]
            self.data_version = DataVersion(self._path)
            self._writer = Writer(self._path, self.writes, settings.write_timeout)
        self.write = self._writer.submit
        self.check = Readiness(self._path, self._writer, self._read_little).check
        self._threads = ThreadPoolExecutor(_READER_THREADS, "reader", give_precedence)
        self._snapshots: dict[SQLiteSnapshot, None] = {}  # the oldest first
        self._wal_bound = WalBound(self.data_version, settings.max_wal_size, self._snapshots)

    async def find_caller(
        self, store_id: int, token_hash: bytes, store_name: str | None
    ) -> Caller | None:
        unchanged = self.data_version.read()
        token = (store_id, token_hash)
        if store_name is None:
            rows = self._query("find_caller", token)
        else:
            rows = self._query("find_caller_in_store", (*token, store_name, None))
        if not rows:
            return None
        caller = to_caller(*token, rows[0], unchanged)
        self._uses.record(store_id, token_hash, caller.expires_at)
        return caller

    async def find_plant(self, store_id: int, plant_id: int) -> NewPlant | None:
        rows = self._query("find_plant", (store_id, plant_id))
        return NewPlant(*rows[0]) if rows else None

    async def read_page(
        self, store_id: int, query: PlantQuery, max_count: int, *, is_shared: bool = False
    ) -> Page:
        """See ``Database``. A thread reads plants with tags, which may be many."""
        name, arguments = page_query(store_id, query, max_count)
        try:
            if is_shared or query.tags:
                return to_page(await self._read(name, arguments, MAX_TEXT))
            return to_page(self._query(name, arguments))
        except apsw.TooBigError:
            return to_page(TOO_LONG)

    async def open_snapshot(self, store_id: int) -> SQLiteSnapshot:
        await self._wal_bound.watch(store_id)
        snapshot = SQLiteSnapshot(store_id, self._sql, self._threads, self._snapshots)
        await snapshot.open(self._path)
        return snapshot

    async def read(self, name: str, *arguments: object) -> Sequence[Row]:
        """See ``Database``."""
        return await self._read(name, arguments, _UNBOUNDED)

    async def _read(self, name: str, arguments: tuple[Any, ...], max_text: int) -> Sequence[Row]:
        """Read rows; a thread restarts a read that takes too long for the event loop."""
        try:
            if (rows := self._read_briefly(name, arguments)) is not None:
                return rows
            read = partial(self._read_long, name, arguments, max_text)
            reading = asyncio.get_running_loop().run_in_executor(self._threads, read)
            try:
                return await asyncio.shield(reading)
            finally:  # the lane of a client that has gone is taken until the thread is free
                await asyncio.wait([reading])
        except apsw.TooBigError:
            raise
        except apsw.Error as error:
            raise unavailable(error) from error

    async def find_callers_again(self, callers: Sequence[Caller]) -> Sequence[Caller | None]:
        unchanged = self.data_version.read()
        current = []
        for number, caller in enumerate(callers, 1):
            token = (caller.token_store_id, caller.token_hash)
            rows = self._query("find_caller_in_store", (*token, None, caller.store_id))
            again = to_caller(*token, rows[0], unchanged) if rows else None
            current.append(None if again is None or again.role is None else again)
            if not number % _MAX_IN_A_ROW:
                await asyncio.sleep(0)
        return current

    def gauges(self) -> Mapping[tuple[str, ...], float]:
        return {
            ("write_queue_depth",): self._writer.depth,
            ("streams",): len(self._snapshots),
            ("sqlite_database_bytes",): _size(self._path),
            ("sqlite_wal_bytes",): _size(self._path.with_name(f"{self._path.name}-wal")),
        }

    async def wait_until_broken(self) -> Exception:
        return await asyncio.shield(self._writer.broken)

    async def close(self) -> None:
        if not await self._writer.close():
            return  # its connection is still open, so the data version's file must stay open too
        self._wal_bound.close()
        for snapshot in list(self._snapshots):
            await snapshot.close()
        self._threads.shutdown()
        for connection in self._readers:
            connection.close()
        if self._writer.broken.done():
            self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        close_at_stop(self._connection)
        self.data_version.close()

    def _read_briefly(self, name: str, arguments: tuple[Any, ...]) -> Sequence[Row] | None:
        """All rows; None if reading them takes too long."""
        until = time.thread_time() + _BRIEF_SECONDS
        self._connection.set_progress_handler(lambda: time.thread_time() > until, _STEPS)
        try:
            return self._execute(self._sql[name], arguments).fetchall()
        except (apsw.InterruptError, apsw.TooBigError):
            return None
        finally:
            self._connection.set_progress_handler(None)

    def _read_long(self, name: str, arguments: tuple[Any, ...], max_text: int) -> Sequence[Row]:
        connection = self._readers.pop()  # there is one for each thread
        connection.limit(apsw.SQLITE_LIMIT_LENGTH, max_text)
        try:
            return connection.execute(self._sql[name], arguments).fetchall()
        finally:
            self._readers.append(connection)

    def _read_little(self) -> None:
        self._execute(self._sql["find_counts"], (0,)).fetchall()

    def _write_uses(self, uses: Sequence[Use]) -> "asyncio.Future[Written]":
        rows = [(store_id, token_hash.hex(), at) for store_id, token_hash, at in uses]
        return self._writer.submit(RecordTokenUses(msgspec.json.encode(rows).decode()))

    def _query(self, name: str, arguments: tuple[Any, ...]) -> Sequence[Row]:
        try:
            rows = self._execute(self._sql[name], arguments).fetchall()
        except apsw.TooBigError:
            raise
        except apsw.Error as error:
            raise unavailable(error) from error
        read_failures.note_success()
        return rows


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
