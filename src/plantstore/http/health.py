"""Whether the process is alive, and whether it can serve: for supervisors, without a token."""

from plantstore.database import Database
from plantstore.errors import DatabaseUnavailableError, OverloadedError
from plantstore.http.errors import error_response
from plantstore.http.responses import NO_STORE, json_response
from plantstore.server.messages import Request, Response
from plantstore.version import VERSION


class Health:
    """Responds to ``/livez`` and ``/readyz``."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.is_stopping = False

    async def respond_live(self, _request: Request) -> Response:
        """The process responds, so it is alive."""
        return _respond("live")

    async def respond_ready(self, _request: Request) -> Response:
        """The database can be used, or 503 with the reason why not; or because of a stop."""
        if self.is_stopping:
            return error_response(OverloadedError(), "the service is stopping")
        try:
            await self._database.check()
        except DatabaseUnavailableError as error:
            return error_response(error, error.details.get("reason"))
        return _respond("ready")


def _respond(status: str) -> Response:
    return json_response(200, {"status": status, "version": VERSION}, NO_STORE)
