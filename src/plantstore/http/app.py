"""The application: routes each request, and turns the error it raises into a response.

Every response passes here: it gets its CORS headers, and errors get the interface's shape.
"""

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from plantstore.core import errors
from plantstore.core.clock import DAY_MS, SteadyClock
from plantstore.core.database import Database
from plantstore.core.errors import PlantStoreError, RequestError
from plantstore.core.failures import observing
from plantstore.core.fair_queue import REFUSED, FairQueue
from plantstore.core.pools import Pool, Pools
from plantstore.core.settings import Settings
from plantstore.http.administration import MAX_JOBS, Administration
from plantstore.http.authentication import REFUSALS, Authentication
from plantstore.http.cors import Cors
from plantstore.http.errors import error_response, numbered_response
from plantstore.http.lists import PlantLists
from plantstore.http.response_cache import ResponseCache
from plantstore.http.routes import Methods, Routes
from plantstore.server.body import ClientGoneError
from plantstore.server.messages import Request, Response, Stream
from plantstore.sql.session import OpenSession, Session
from plantstore.sql.trimming import KEY_DAYS, trim_keys

logger = logging.getLogger(__name__)

_CLOSING_SECONDS = 2.0  # to write the last uses of tokens
_MINUTE = 60.0
_RETRY_SECONDS = 1.0  # after periodic work failed
_OVERLOADED = 50301
_OVERLOADED_SECONDS = 0.25
_SECONDS_PER_OBSERVED = 1.0  # between observed refusals of cached requests

PeriodicWork = Callable[[Session], float | None]  # returns the seconds until its next run
Observer = Callable[[Request, Response | Stream, float], None]


class App:
    """Responds to requests on one database, in the process with this number, counted from 0.

    Features add to it. ``began`` is the time when the service started.

    ``gauges`` return the current values of features' metrics, by name. ``at_close`` is called at
    the end, ``at_reload`` at SIGHUP. ``administer`` runs work on a session that is kept;
    ``open_session`` opens a new one.
    """

    def __init__(
        self,
        database: Database,
        settings: Settings,
        open_session: OpenSession,
        number: int = 0,
        began: float = 0.0,
    ) -> None:
        self.database = database
        self.settings = settings
        self.open_session = open_session
        self.number, self.began = number, began
        self._observers: list[Observer] = []
        self._observed_seconds = math.inf
        self.gauges: dict[str, Callable[[], float]] = {}
        self.at_close: list[Callable[[], Awaitable[None]]] = []
        self.at_reload: list[Callable[[], None]] = []
        self.connections: Collection[object] = ()
        self.pools = Pools(settings)
        self.pools.add_pool(database.writes.bytes)
        slots = self.pools.add_pool(Pool("administration", MAX_JOBS))
        self._administration = Administration(open_session, settings.write_timeout, slots)
        self.administer = self._administration.run
        self.clock = SteadyClock()
        self.cors = Cors(settings.cors_origins)
        self.cache = ResponseCache(settings.cache_size, self.cors)
        self.turns = FairQueue()
        self.authentication = Authentication(database, settings, self.pools, self.turns)
        self.client_address = self.authentication.client_address
        self.find_user = self.authentication.find_user
        self._rates = self.authentication.rates
        self.lanes = self.authentication.lanes
        lists = PlantLists(database, self.authentication, self.cache, self.pools.streams)
        self.routes = Routes(database, self.authentication, lists, self.pools)
        self._observe_refusal_at = 0.0
        self.get_cached: Callable[[bytes], Response | None] = self._get_cached
        self._tasks: list[asyncio.Task[None]] = []
        self.wait_until_broken = database.wait_until_broken
        self.run_in_background(self._begin_minutes())
        self.trim(KEY_DAYS, trim_keys)

    def observe(self, observer: Observer, seconds: float) -> None:
        """Pass requests that fail or take at least ``seconds`` to the observer, and perhaps others.

        A request's time begins with its last byte. Requests that the cache answers by their bytes
        are not observed. An error of the observer is logged.
        """
        self._observers.append(observing(observer))
        self._observed_seconds = min(self._observed_seconds, seconds)

    def _get_cached(self, raw: bytes) -> Response | None:
        cached = self.cache.requests.get(raw)
        if cached is None or cached.expires_at <= time.time() or not cached.caller.unchanged():
            return None
        principal = cached.caller.principal
        if not self.turns.try_take(principal, cached.cost):
            return None  # ``handle`` waits for the turn
        if self._rates is not None and (seconds := self._rates.take(principal)):
            if (now := time.monotonic()) >= self._observe_refusal_at:
                self._observe_refusal_at = now + _SECONDS_PER_OBSERVED
                return None  # ``handle`` refuses and logs it
            self.cache.refused += 1
            return numbered_response(42901, retry_after=seconds).with_headers(cached.lines)
        self.cache.repeated[cached.status] += 1
        return cached.response

    async def handle(self, request: Request) -> Response | Stream:
        """See ``Application``."""
        began = time.perf_counter()
        try:
            if request.error is None:
                if turn := self.authentication.enter(request):
                    await turn
                route = self.routes.fixed.get(request.path) or self.routes.find(request.path)
                methods, arguments, request.route = route
                operation = methods.get(request.method) or partial(self._list_methods, methods)
                handling = operation(request, *arguments) if arguments else operation(request)
                response = await handling
            else:
                response = await self._explain(request.error, request)
        except ClientGoneError:
            raise
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - it is logged
            response = await self._explain(error, request)
        finally:
            if request.holder is not None:
                self.pools.requests.release(request.holder)
        if not isinstance(request.body, bytes):
            began = max(began, request.body.arrived_at)  # a slow client is not a slow service
        seconds = time.perf_counter() - began
        if response.error or seconds >= self._observed_seconds:
            await self._notify_observers(request, response, seconds)
        if response.error and request.turns_of is not None:  # others paid when they entered
            self.turns.charge(request.turns_of, REFUSED)
        lines = self.cors.plain
        if request.error is not None or b"origin" in request.headers:
            lines = self.cors.headers_for(request)
        return response.with_headers(lines) if lines else response

    def run_in_background(self, work: Coroutine[None, None, None]) -> None:
        """Run endless work in the background, until the application is closed."""
        self._tasks.append(asyncio.ensure_future(work))

    def repeat(self, work: PeriodicWork) -> None:
        """Repeat work in the background, in the first process."""
        if self.number == 0:
            self.run_in_background(self._repeat(work))

    def trim(self, days: float, trim: Callable[[Session, int], float]) -> None:
        """Repeat work that deletes everything older than so many days; 0 means never."""

        def work(session: Session) -> float:
            if (at := self.clock.read()) is None:
                return _MINUTE
            ((database_time,),) = session.query("find_time")  # all services have the same
            return trim(session, min(at, database_time) - int(days * DAY_MS))

        if days:
            self.repeat(work)

    async def _repeat(self, work: PeriodicWork) -> None:
        is_due = asyncio.Event()
        self.at_reload.append(is_due.set)
        while True:
            is_due.clear()
            seconds: float | None = _RETRY_SECONDS
            with _logging_errors():
                seconds = await self.administer(None, work)
            with suppress(TimeoutError):
                await asyncio.wait_for(is_due.wait(), seconds)

    async def _begin_minutes(self) -> None:
        while True:
            await asyncio.sleep(_MINUTE)
            self.database.writes.bytes.clear()
            with _logging_errors():  # uses are written later
                await self.database.write_token_uses()

    def handle_all(self) -> None:
        """Stop answering requests by their bytes, so that observers get all."""
        self.get_cached = lambda _data: None

    def announce_stop(self) -> None:
        """See ``Application``."""
        self.routes.health.is_stopping = True
        self.handle_all()

    def reload(self) -> None:
        """See ``Application``."""
        for reload in self.at_reload:
            reload()

    async def close(self) -> None:
        """See ``Application``."""
        for task in self._tasks:
            task.cancel()
        for close in self.at_close:
            await close()
        await self._administration.close()
        with suppress(PlantStoreError, TimeoutError):  # the uses of the last minute are lost
            async with asyncio.timeout(_CLOSING_SECONDS):
                await self.database.write_token_uses()
        await self.database.close()

    async def _list_methods(self, methods: Methods, request: Request, *_values: str) -> Response:
        """The response to OPTIONS, and to a method that the path does not have."""
        allowed = ", ".join([*methods, "OPTIONS"])
        if request.method != "OPTIONS":
            raise RequestError(40501, method=request.method, allow=allowed)
        return self.cors.options_response(allowed)

    async def _explain(self, error: BaseException, request: Request) -> Response:
        """The response to a request in which the error was raised."""
        if isinstance(error, REFUSALS):
            try:
                await self.authentication.confirm(request)
            except (Exception, asyncio.CancelledError) as newer:  # noqa: BLE001 - it replaces error
                error = newer
        if isinstance(error, asyncio.CancelledError):  # the drain timeout has passed
            is_read = request.method in ("GET", "HEAD")
            error = errors.OverloadedError() if is_read else errors.OutcomeUnknownError()
        elif isinstance(error, PlantStoreError):
            # A reference back to the request would keep it until the next garbage collection.
            error.__traceback__ = error.__context__ = None
            request.refusal = error
        if isinstance(error, PlantStoreError):
            try:
                return error_response(error)
            except (LookupError, UnicodeError) as missing:  # a detail of its message
                error = missing
        logger.error("request %s failed", request.id.decode(), exc_info=error)
        return error_response(RequestError(50001))

    async def _notify_observers(
        self, request: Request, response: Response | Stream, seconds: float
    ) -> None:
        for observe in self._observers:
            observe(request, response, seconds)
        # A client that retries at once must not take others' time. A refused connection need not
        # wait.
        is_waiting = request.error is None and not self.routes.health.is_stopping
        if response.error == _OVERLOADED and is_waiting:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(_OVERLOADED_SECONDS)


@contextmanager
def _logging_errors() -> Iterator[None]:
    """Log any error of periodic work, which is repeated."""
    try:
        yield
    except PlantStoreError:
        pass  # it is logged
    except Exception:
        logger.exception("periodic work failed, and will be repeated")
