"""Reads plants as JSON through one connection, each page in one statement."""

import logging

import apsw

from plantstore.errors import DatabaseUnavailableError
from plantstore.failures import FailureLog
from plantstore.model import Page, PlantQuery

logger = logging.getLogger(__name__)
failures = FailureLog(logger, "reads work again")


def unavailable(error: apsw.Error) -> DatabaseUnavailableError:
    """The port's error for one of SQLite's in a read."""
    failures.add("a read failed: %s", error)
    return DatabaseUnavailableError()


class PageReader:
    """Reads with the named queries ``sql``."""

    def __init__(self, connection: apsw.Connection, sql: dict[str, str]) -> None:
        self._execute = connection.cursor().execute
        self._sql = sql

    def read_page(self, store_id: int, query: PlantQuery, max_count: int) -> Page:
        """A page and its revision, read together."""
        count = max_count if query.limit is None else min(max_count, query.limit)
        name = "read_page" if query.tag is None else "read_page_of_tag"
        arguments: tuple[int | str, ...] = (store_id, query.first_id, count, query.with_ids)
        if query.tag is not None:
            arguments += (query.tag,)
        row = self._execute(self._sql[name], arguments).get
        revision, total, count, plants, last_id, more = row
        return Page(revision or 0, total or 0, count, plants or b"", last_id or 0, bool(more))

    def find_last_id(self, store_id: int, query: PlantQuery) -> int | None:
        """Id of the query's last plant if more follow its limit, else None."""
        if not query.limit:
            return None
        arguments = (store_id, query.first_id, query.limit - 1)
        if query.tag is None:
            found = self._execute(self._sql["find_last_of_limit"], arguments)
        else:
            found = self._execute(self._sql["find_last_of_limit_and_tag"], (*arguments, query.tag))
        last_id: int | None = found.get
        return last_id
