"""Whether the process lives, and whether it can serve: for supervisors, without a token."""

from plantstore.database import Database
from plantstore.http.answers import NO_STORE, Answer, answer_json
from plantstore.http.request import Request


class Health:
    """Answers ``/livez`` and ``/readyz``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def answer_live(self, _request: Request) -> Answer:
        """The process answers, so it lives."""
        return answer_json(200, {"status": "live"}, [NO_STORE])

    async def answer_ready(self, _request: Request) -> Answer:
        """The database can be used.

        :raises DatabaseUnavailableError: it cannot.
        """
        await self._database.check()
        return answer_json(200, {"status": "ready"}, [NO_STORE])
