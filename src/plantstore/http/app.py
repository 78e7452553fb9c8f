"""The ASGI application: from a request to its route, from its answer or error to the client.

Every answer leaves here: with its X-Request-Id, its CORS headers, and its errors in the
interface's shape.
"""

import asyncio
import logging
import multiprocessing
import signal
from collections.abc import Awaitable, Callable
from typing import Any

from plantstore.database import Database
from plantstore.errors import OutcomeUnknownError, OverloadedError, PlantStoreError
from plantstore.http.answers import Answer, Stream, answer_error
from plantstore.http.cors import Cors
from plantstore.http.delivery import deliver, spool
from plantstore.http.errors import InternalError, MethodNotAllowedError, NoSuchPathError
from plantstore.http.health import Health
from plantstore.http.me import BearerOperation
from plantstore.http.openapi import OpenApi
from plantstore.http.parameters import read_plants_path
from plantstore.http.plants import PlantOperations, allowed_methods
from plantstore.http.rates import Rates
from plantstore.http.request import ClientGoneError, Request
from plantstore.http.request_ids import make_request_id
from plantstore.http.site import Site
from plantstore.settings import Settings

logger = logging.getLogger(__name__)

_READ_METHODS = "GET, HEAD, OPTIONS"


class App:
    """Answers requests on one database."""

    def __init__(self, database: Database, settings: Settings) -> None:
        rates = Rates(settings.rate_limit)
        self._plants = PlantOperations(database, settings, rates)
        self._me = BearerOperation(database, rates)
        health, document = Health(database), OpenApi()
        self._reads: dict[bytes, Callable[[Request], Awaitable[Answer]]] = {
            b"/me": self._answer_me,
            b"/livez": health.answer_live,
            b"/readyz": health.answer_ready,
            b"/openapi.json": document.answer_json,
            b"/openapi.yaml": document.answer_yaml,
        }
        self._site = Site()
        self._cors = Cors(settings.cors_origins)
        self._database = database
        self._settings = settings
        self._in_hand = 0
        self.has_failed = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        """Answer one HTTP request, or keep company to the server's life."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        request = Request(scope, receive)
        request_id = make_request_id()
        extra = [(b"x-request-id", request_id), *self._cors.headers_for(request)]
        proved = self._plants.find_proved(request)
        if proved is not None:
            await deliver(proved, extra, request, send, self._settings)
            return
        self._in_hand += 1
        try:
            answer = await self._answer(request, request_id)
            await deliver(answer, extra, request, send, self._settings)
        except ClientGoneError:
            logger.debug("request %s: the client has gone", request_id.decode())
        finally:
            self._in_hand -= 1

    async def _answer(self, request: Request, request_id: bytes) -> Answer | Stream:
        try:
            answer = await self._route(request)
            if isinstance(answer, Stream) and request.http_version == "1.0":
                answer = await spool(answer)
        except PlantStoreError as error:
            answer = answer_error(error)
        except ClientGoneError:
            raise
        except asyncio.CancelledError:  # the server stops, and waits no longer
            is_write = request.method in ("POST", "DELETE")
            answer = answer_error(OutcomeUnknownError() if is_write else OverloadedError())
        except Exception:
            logger.exception("request %s failed", request_id.decode())
            answer = answer_error(InternalError())
        return answer

    async def _route(self, request: Request) -> Answer | Stream:
        path = read_plants_path(request.raw_path)
        if path is None:
            return await self._read(request)
        if request.method == "OPTIONS":
            return self._cors.answer_options(allowed_methods(path))
        self._demand_room()
        return await self._plants.answer(request, path)

    async def _read(self, request: Request) -> Answer:
        read = self._reads.get(request.raw_path) or await self._site.find(request.raw_path)
        if read is None:
            raise NoSuchPathError
        if request.method == "OPTIONS":
            return self._cors.answer_options(_READ_METHODS)
        if request.method not in ("GET", "HEAD"):
            raise MethodNotAllowedError(method=request.method, allow=_READ_METHODS)
        return await read(request)

    async def _answer_me(self, request: Request) -> Answer:
        self._demand_room()
        return await self._me.answer(request)

    def _demand_room(self) -> None:
        if self._in_hand > self._settings.max_requests:
            raise OverloadedError

    async def _live(self, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        await receive()
        watch = asyncio.create_task(self._stop_when_broken())
        parent = multiprocessing.parent_process()
        if parent is not None:  # a worker must not outlive who would restart or stop it
            asyncio.get_running_loop().add_reader(parent.sentinel, _stop_alone, parent.sentinel)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        watch.cancel()
        await self._database.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _stop_when_broken(self) -> None:
        error = await self._database.wait_until_broken()
        logger.critical("the database is broken, the service stops: %s", error)
        self.has_failed = True
        _stop()


def _stop_alone(sentinel: int) -> None:
    asyncio.get_running_loop().remove_reader(sentinel)  # which says so from now on, again and again
    _stop()


def _stop() -> None:
    signal.raise_signal(signal.SIGTERM)
