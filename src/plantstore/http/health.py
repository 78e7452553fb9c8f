"""Liveness and readiness of the process, for supervisors, without a token.

Invariant: each change between ready and not ready that a poll finds is logged once.
"""

import logging
import time

from plantstore.core.database import Database
from plantstore.core.errors import DatabaseUnavailableError, OverloadedError, PlantStoreError
from plantstore.core.pools import Pools
from plantstore.http.errors import error_response
from plantstore.http.responses import NO_STORE, json_response
from plantstore.server.messages import Request, Response
from plantstore.version import VERSION

logger = logging.getLogger(__name__)


class Health:
    """Responds to ``/livez`` and ``/readyz``."""

    def __init__(self, database: Database, pools: Pools) -> None:
        self._database = database
        self._pools = pools
        self._reason: object = None  # why the service is not ready
        self._since = 0.0
        self.is_stopping = False

    async def respond_live(self, _request: Request) -> Response:
        """The process responds, so it is alive."""
        return _respond("live")

    async def respond_ready(self, _request: Request) -> Response:
        """200 if the database can be used; else, and while stopping, 503 with the reason."""
        if self.is_stopping:
            return error_response(OverloadedError(), "the service is stopping")
        error: PlantStoreError | None = None
        try:
            await self._database.check()
            if (pool := self._pools.find_full()) is not None:
                error = OverloadedError(reason=f"the pool {pool.name} is full")
        except DatabaseUnavailableError as unavailable:
            error = unavailable
        reason = error and error.details.get("reason")
        if reason != self._reason:
            if reason is None:
                logger.warning("ready again after %.1f s", time.monotonic() - self._since)
            else:
                logger.warning("not ready: %s", reason)
            if self._reason is None:
                self._since = time.monotonic()
            self._reason = reason
        return _respond("ready") if error is None else error_response(error, reason)


def _respond(status: str) -> Response:
    return json_response(200, {"status": status, "version": VERSION}, NO_STORE)
