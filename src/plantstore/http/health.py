"""Whether the process lives, and whether it can serve: for supervisors, without a token."""

import time

from plantstore.database import Database
from plantstore.errors import DatabaseUnavailableError
from plantstore.http.responses import NO_STORE, json_response
from plantstore.server.messages import Request, Response

_MAX_AGE = 1.0  # seconds: whoever asks more often costs the database nothing


class Health:
    """Responds to ``/livez`` and ``/readyz``."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._checked_at = -_MAX_AGE
        self._is_ready = False

    async def respond_live(self, _request: Request) -> Response:
        """The process responds, so it lives."""
        return json_response(200, {"status": "live"}, NO_STORE)

    async def respond_ready(self, _request: Request) -> Response:
        """The database can be used, as of the last second.

        :raises DatabaseUnavailableError: it cannot.
        """
        now = time.monotonic()
        if now - self._checked_at >= _MAX_AGE:
            self._checked_at = now
            await self._check()
        if not self._is_ready:
            raise DatabaseUnavailableError
        return json_response(200, {"status": "ready"}, NO_STORE)

    async def _check(self) -> None:
        try:
            await self._database.check()
            self._is_ready = True
        except DatabaseUnavailableError:
            self._is_ready = False
