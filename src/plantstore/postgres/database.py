"""The database for serving, on PostgreSQL: lookups of callers, reads and writes go in batches."""

import asyncio
from collections.abc import Mapping, Sequence

import psycopg

from plantstore.core.database import Row
from plantstore.core.errors import DatabaseUnavailableError, SetupError
from plantstore.core.model import Caller, NewPlant, Page, PlantQuery
from plantstore.core.settings import Settings
from plantstore.postgres.availability import Availability
from plantstore.postgres.connection import require_schema_of
from plantstore.postgres.hosts import Hosts
from plantstore.postgres.pool import Pool
from plantstore.postgres.readiness import Readiness
from plantstore.postgres.reading import Callers, Credentials, PostgresSnapshot, Reads
from plantstore.postgres.writer import Writer
from plantstore.sql.queries import load_queries
from plantstore.sql.reading import page_query, to_page
from plantstore.sql.token_uses import TokenUses, Use

_RETRY_SECONDS = 0.5  # between two attempts to open the database
_MAX_PAGES = 16  # per batch, so that no item waits for too many others


class PostgresDatabase:
    """Serves one database. Create it on the event loop that uses it, and await ``open``."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._hosts = Hosts(settings.database, prepares=settings.prepare_statements)
        self._availability = Availability(is_open=False)
        server = (self._hosts, self._availability)
        self._pool = Pool(settings, settings.database_connections, *server)
        self._stream_pool = Pool(settings, settings.max_streams, *server)
        self._probe_pool = Pool(settings, 1, *server)  # requests do not wait for it
        self._uses = TokenUses(self._write_uses)
        self.write_token_uses = self._uses.write
        self._callers = Callers(self._pool, self._uses)
        self._plants = Reads(self._pool, settings.max_requests, self._callers.stores)
        self._pages = Reads(self._pool, _MAX_PAGES, self._callers.stores)
        self._singles = Reads(self._pool, 1, self._callers.stores)
        self.check = Readiness(self._probe_pool).check
        self._snapshots = set[PostgresSnapshot]()
        self._writer = Writer(self._pool, settings, self._snapshots)
        self.find_callers_again = self._callers.find_again
        self.long_page = 100
        self.write, self.writes = self._writer.submit, self._writer.queue
        self._has_tried = asyncio.Event()
        self._opening = asyncio.ensure_future(self._open())
        self._opening.add_done_callback(lambda _: self._has_tried.set())

    async def open(self) -> None:
        """Wait for the first attempt to connect. Until an attempt succeeds, every method fails."""
        await self._has_tried.wait()

    async def find_caller(
        self, store_id: int, token_hash: bytes, store_name: str | None
    ) -> Caller | None:
        return await self._callers.submit(Credentials(store_id, token_hash, store_name))

    async def find_plant(self, store_id: int, plant_id: int) -> NewPlant | None:
        rows = await self._plants.submit(("find_plant", (store_id, plant_id)))
        return NewPlant(*rows[0]) if rows else None

    async def read_page(self, store_id: int, query: PlantQuery, max_count: int, **_: bool) -> Page:
        return to_page(await self._pages.submit(page_query(store_id, query, max_count)))

    async def open_snapshot(self, store_id: int) -> PostgresSnapshot:
        snapshot = PostgresSnapshot(store_id, self._stream_pool, self._snapshots)
        try:
            await asyncio.ensure_future(snapshot.open(self._settings.stream_timeout))
        except BaseException:
            await snapshot.close()
            raise
        return snapshot

    async def read(self, name: str, *arguments: object) -> Sequence[Row]:
        return await self._singles.submit((name, arguments))

    def gauges(self) -> Mapping[tuple[str, ...], float]:
        pools = (self._pool, self._stream_pool, self._probe_pool)
        return {
            ("write_queue_depth",): self._writer.depth,
            ("streams",): self._stream_pool.in_use,
            ("postgres_connections", "in_use"): sum(pool.in_use for pool in pools),
            ("postgres_connections", "idle"): sum(len(pool.idle) for pool in pools),
        }

    async def wait_until_broken(self) -> Exception:
        """See ``Database``: failures are temporary, except a schema of another version."""
        try:
            await asyncio.shield(self._opening)
        except SetupError as error:
            return error
        never: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()
        return await never

    async def close(self) -> None:
        self._opening.cancel()
        for batcher in (self._writer, self._callers, self._plants, self._pages, self._singles):
            await batcher.drain()
        for pool in (self._pool, self._stream_pool, self._probe_pool):
            await pool.close()

    async def _write_uses(self, uses: Sequence[Use]) -> None:
        columns = [list(column) for column in zip(*uses, strict=True)]
        async with self._pool.acquire() as connection:
            try:
                await connection.execute(self._pool.sql["record_token_uses"], columns, binary=True)
            except psycopg.Error as error:  # says nothing about other work
                self._availability.warn("the last uses of tokens were not written", error)
                raise DatabaseUnavailableError from error

    async def _open(self) -> None:
        """Return once the server was reached and its schema checked.

        :raises SetupError: the schema has another version.
        """
        while not self._availability.is_open:
            try:
                seconds = self._settings.database_timeout
                async with (
                    asyncio.timeout(2 * seconds),
                    await self._hosts.connect(seconds) as connection,
                ):
                    distribution = await require_schema_of(connection)
            except (TimeoutError, psycopg.Error) as error:
                message = "waiting for the database (check the setting database)"
                self._availability.fail(message, error)
                self._has_tried.set()
                await asyncio.sleep(_RETRY_SECONDS)
            else:
                if distribution is not None:
                    self._pool.sql.update(load_queries("plantstore.postgres", distribution))
                    self._callers.separate_stores()
                    self._writer.separate_stores()
                self._availability.is_open = True
        self._availability.note_read()
