"""The application: from a request to its route, and from what it raises to a response.

Every response leaves here: with its CORS headers, and its errors in the interface's shape.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from plantstore.database import Database
from plantstore.errors import (
    OutcomeUnknownError,
    OverloadedError,
    PlantStoreError,
    RequestError,
)
from plantstore.http.authentication import Authentication
from plantstore.http.cors import Cors
from plantstore.http.errors import error_response
from plantstore.http.health import Health
from plantstore.http.lists import PlantLists
from plantstore.http.me import describe_token
from plantstore.http.openapi import OpenApi
from plantstore.http.parameters import read_plants_path
from plantstore.http.plants import PlantOperations, allowed_methods
from plantstore.http.rates import Rates
from plantstore.http.response_cache import ResponseCache
from plantstore.http.responses import NO_STORE, json_response
from plantstore.http.site import Site
from plantstore.server.body import ClientGoneError
from plantstore.server.messages import Request, Response, Stream
from plantstore.settings import Settings

logger = logging.getLogger(__name__)

_READ_METHODS = "GET, HEAD, OPTIONS"
_WRITE_METHODS = ("POST", "DELETE")


class App:
    """Responds to requests on one database."""

    def __init__(self, database: Database, settings: Settings) -> None:
        rates = Rates(settings.rate_limit)
        cache = ResponseCache(settings.cache_size)
        self._authentication = Authentication(database, rates)
        self._cors = Cors(settings.cors_origins)
        lists = PlantLists(database, cache, self._cors)
        self._plants = PlantOperations(database, self._authentication, lists)
        health, document = Health(database), OpenApi(settings.public_url)
        self._reads: dict[bytes, Callable[[Request], Awaitable[Response]]] = {
            b"/me": self._describe_token,
            b"/livez": health.respond_live,
            b"/readyz": health.respond_ready,
            b"/openapi.json": document.respond_json,
            b"/openapi.yaml": document.respond_yaml,
        }
        self._site = Site()
        self._database = database
        self._max_requests = settings.max_requests
        self._in_flight = 0
        # A response that is remembered would not be counted.
        self.recall = _forget if rates.are_limited else cache.recall
        self.close = database.close
        self.wait_until_broken = database.wait_until_broken

    async def handle(self, request: Request) -> Response | Stream:
        """See ``Application``."""
        self._in_flight += 1
        try:
            response = await self._respond(request)
        finally:
            self._in_flight -= 1
        return response.with_headers(self._cors.headers_for(request))

    async def _respond(self, request: Request) -> Response | Stream:
        try:
            return await self._route(request)
        except PlantStoreError as error:
            return error_response(error)
        except ClientGoneError:
            raise
        except asyncio.CancelledError:  # the server stops, and waits no longer
            is_write = request.method in _WRITE_METHODS
            return error_response(OutcomeUnknownError() if is_write else OverloadedError())
        except Exception:
            logger.exception("request %s failed", request.id)
            return error_response(RequestError(50001))

    async def _route(self, request: Request) -> Response | Stream:
        if request.error is not None:
            raise request.error
        path = read_plants_path(request.path)
        if path is None:
            return await self._read(request)
        if request.method == "OPTIONS":
            return self._cors.options_response(allowed_methods(path))
        self._require_room()
        return await self._plants.respond(request, path)

    async def _read(self, request: Request) -> Response:
        if request.path == b"*":  # which the server lets through for OPTIONS alone
            return self._cors.options_response(_READ_METHODS)
        read = self._reads.get(request.path) or await self._site.find(request.path)
        if read is None:
            raise RequestError(40402)
        if request.method == "OPTIONS":
            return self._cors.options_response(_READ_METHODS)
        if request.method not in ("GET", "HEAD"):
            raise RequestError(40501, method=request.method, allow=_READ_METHODS)
        return await read(request)

    async def _describe_token(self, request: Request) -> Response:
        self._require_room()
        bearer = await self._authentication.introspect(request)
        return json_response(200, describe_token(bearer), NO_STORE)

    def _require_room(self) -> None:
        if self._in_flight > self._max_requests:
            raise OverloadedError


def _forget(_data: bytes) -> None:
    return None
