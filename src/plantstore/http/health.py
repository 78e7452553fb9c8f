"""Whether the process is alive, and whether it can serve: for supervisors, without a token."""

from plantstore.database import Database
from plantstore.http.responses import NO_STORE, json_response
from plantstore.server.messages import Request, Response


class Health:
    """Responds to ``/livez`` and ``/readyz``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def respond_live(self, _request: Request) -> Response:
        """The process responds, so it is alive."""
        return json_response(200, {"status": "live"}, NO_STORE)

    async def respond_ready(self, _request: Request) -> Response:
        """The database can be used.

        :raises DatabaseUnavailableError: it cannot.
        """
        await self._database.check()
        return json_response(200, {"status": "ready"}, NO_STORE)
