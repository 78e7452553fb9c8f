"""The application: from a request to its route, and from what it raises to a response.

Every response leaves here: with its CORS headers, and its errors in the interface's shape.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import suppress

from plantstore.clock import now
from plantstore.database import Database
from plantstore.errors import (
    OutcomeUnknownError,
    OverloadedError,
    PlantStoreError,
    RequestError,
)
from plantstore.http.access.routes import AccessRoutes
from plantstore.http.authentication import Authentication
from plantstore.http.bulk import BulkCreates
from plantstore.http.cors import Cors
from plantstore.http.errors import error_response, too_many_response
from plantstore.http.events import EventOperations
from plantstore.http.listeners import Listeners
from plantstore.http.lists import PlantLists
from plantstore.http.plants import PlantOperations
from plantstore.http.rates import Rates, require
from plantstore.http.response_cache import Remembered, ResponseCache
from plantstore.http.routes import Methods, Routes
from plantstore.http.streams import StreamPlaces
from plantstore.http.turns import PARSED, RECALLED, ROUTED, Turns
from plantstore.model import Scope
from plantstore.server.body import ClientGoneError
from plantstore.server.messages import Request, Response, Stream
from plantstore.settings import Settings, read_rate
from plantstore.sql.session import OpenSession

logger = logging.getLogger(__name__)

_READS = ("GET", "HEAD")
_CLOSING_SECONDS = 2.0  # for what may be lost
_UNBOUNDED = (b"/livez", b"/readyz")  # for supervisors, under any load
_OVERLOADED = 50301
_OVERLOADED_SECONDS = 0.25
_SECONDS_PER_OBSERVED = 1.0  # refusals of requests answered from memory


Observer = Callable[[Request, Response | Stream, float], None]


class App:
    """Responds to requests on one database, which ``open_session`` administers for its owners.

    Each of the ``observers`` gets every request with its response and the seconds between them,
    from the request's last byte, except requests that are answered from memory by their bytes.
    """

    def __init__(
        self,
        database: Database,
        settings: Settings,
        open_session: OpenSession,
        observers: Sequence[Observer] = (),
    ) -> None:
        self._observers = observers
        self.connections: Collection[object] = ()
        limit = settings.rate_limit
        self._rates = None if limit is None else Rates(*read_rate(limit))
        self._turns = Turns()
        self.cache = ResponseCache(settings.cache_size)
        self._cors = Cors(settings.cors_origins)
        places = StreamPlaces(settings.max_streams)
        self._lists = PlantLists(database, self.cache, self._cors, places)
        authentication = Authentication(database, settings, self._rates, self._turns)
        self._listeners = Listeners(database, settings.max_listeners)
        bulk = BulkCreates(database, settings, self._turns)
        plants = PlantOperations(database, authentication, self._lists, bulk)
        events = EventOperations(database, authentication, self._listeners)
        self._routes = Routes(database, authentication, plants, events, settings)
        access = AccessRoutes(authentication, settings, open_session)
        self._routes.add(access.fixed, access.find)
        self._max_requests = settings.max_requests
        self._in_flight = 0
        self._observe_refusal_at = 0.0
        # A cached response would not be logged.
        self.recall = _forget if settings.access_log else self._recall
        self._database = database
        self._tasks: list[asyncio.Task[None]] = []
        self.wait_until_broken = database.wait_until_broken

    @property
    def in_flight(self) -> int:
        """Requests that have no response yet."""
        return self._in_flight

    def _recall(self, data: bytes) -> Response | None:
        found = self.cache.find(data)
        if found is None or not found.caller.unchanged():
            return None
        if not self._turns.try_take(found.caller.principal, RECALLED):
            return None  # it is handled, and waits
        if self._rates is not None and (seconds := self._rates.take(found.caller.principal)):
            return self._refuse_recalled(found, seconds)
        self.cache.recalled[found.status] += 1
        return found.whole

    def _refuse_recalled(self, found: Remembered, seconds: int) -> Response | None:
        now = time.monotonic()
        if now >= self._observe_refusal_at:
            self._observe_refusal_at = now + _SECONDS_PER_OBSERVED
            return None  # it is handled, refused there, and so logged
        self.cache.refused += 1
        return too_many_response(seconds).with_headers(found.lines)

    async def handle(self, request: Request) -> Response | Stream:
        """See ``Application``."""
        self._in_flight += 1
        began = time.perf_counter()
        try:
            response = await self._respond(request)
        except PlantStoreError as error:
            # What refers back to the request would keep it until the garbage is collected.
            error.__traceback__ = error.__context__ = None
            request.refusal = error
            response = error_response(error)
        except ClientGoneError:
            raise
        except asyncio.CancelledError:  # the drain timeout is over
            is_read = request.method in _READS
            response = error_response(OverloadedError() if is_read else OutcomeUnknownError())
        except Exception:
            logger.exception("request %s failed", request.id.decode())
            response = error_response(RequestError(50001))
        finally:
            self._in_flight -= 1
        if not isinstance(request.body, bytes):
            began = max(began, request.body.arrived_at)  # a slow client is not our slowness
        seconds = time.perf_counter() - began
        for observe in self._observers:
            observe(request, response, seconds)
        # A client that retries at once must not take the others' time; a connection that is
        # refused as such is not kept for longer.
        if response.error == _OVERLOADED and request.error is None:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(_OVERLOADED_SECONDS)
        lines = self._cors.headers_for(request)
        return response.with_headers(lines) if lines else response

    @property
    def listeners(self) -> int:
        """Clients that listen to events."""
        return self._listeners.count

    def run_beside(self, work: Coroutine[None, None, None]) -> None:
        """Run work that has no end beside the requests, until the application is closed."""
        self._tasks.append(asyncio.ensure_future(work))

    def announce_stop(self) -> None:
        """See ``Application``."""
        self._routes.health.is_stopping = True
        self.recall = _forget

    async def close(self) -> None:
        """See ``Application``."""
        for task in self._tasks:
            task.cancel()
        self._listeners.close()
        with suppress(PlantStoreError, TimeoutError):  # then the last minute's uses are not known
            async with asyncio.timeout(_CLOSING_SECONDS):
                await self._database.write_token_uses()
        await self._database.close()

    async def _respond(self, request: Request) -> Response | Stream:
        if request.error is not None:
            raise request.error
        path = request.path
        route = self._routes.find_fixed(path) or await self._routes.find(path)
        if route is None:
            raise RequestError(40402)
        methods, arguments, request.route = route
        operation = methods.get(request.method)
        if operation is None:
            return self._respond_otherwise(request, methods)
        if self._in_flight > self._max_requests and path not in _UNBOUNDED:
            raise OverloadedError
        if request.wire is not None and (found := self.cache.find(request.wire)):
            if response := await self._respond_again(request, found, *arguments):
                return response
            self.cache.forget(request.wire)
        return await operation(request, *arguments)

    async def _respond_again(
        self, request: Request, found: Remembered, store_name: str | None = None
    ) -> Response | Stream | None:
        """A list seen before, as of now; None where the caller is to be refused."""
        caller = found.caller
        if not self._turns.try_take(caller.principal, PARSED):
            await self._turns.take(caller.principal, PARSED)
        token = (caller.token_store_id, caller.token_hash)
        current = await self._database.find_caller(*token, store_name)
        if current is None or Scope.LIST not in current.permissions:
            return None
        if current.expires_at is not None and current.expires_at <= now():
            return None
        request.caller = current
        if self._rates is not None:
            require(self._rates.take(caller.principal))
        if current != caller:  # the store has changed, or what they may do there
            await self._turns.take(caller.principal, ROUTED - PARSED)
            return await self._lists.respond(request, current)
        self.cache.hits += 1
        return found.response

    def _respond_otherwise(self, request: Request, methods: Methods) -> Response:
        allowed = ", ".join([*methods, "OPTIONS"])
        if request.method != "OPTIONS":
            raise RequestError(40501, method=request.method, allow=allowed)
        return self._cors.options_response(allowed, request.route)


def _forget(_data: bytes) -> None:
    return None
