"""Reads plants as JSON through one connection."""

import apsw

from plantstore.model import DEFAULT_FIELDS, Field, Page, PlantQuery


class PageReader:
    """Reads with the named queries ``sql``."""

    def __init__(self, connection: apsw.Connection, sql: dict[str, str]) -> None:
        self._execute = connection.cursor().execute
        self._sql = sql

    def read_page(self, store_id: int, query: PlantQuery, most: int) -> Page:
        """A page and its revision, of one moment."""
        self._execute("BEGIN")
        try:
            return self.read_in_transaction(store_id, query, most)
        finally:
            self._execute("COMMIT")

    def read_in_transaction(self, store_id: int, query: PlantQuery, most: int) -> Page:
        """A page, of the moment at which the transaction began."""
        most = most if query.limit is None else min(most, query.limit)
        name = "read_page" if query.tag is None else "read_page_of_tag"
        if query.fields == DEFAULT_FIELDS:
            flags: tuple[bool, ...] = ()
        else:
            name += "_and_fields" if query.tag is not None else "_of_fields"
            flags = tuple(field in query.fields for field in Field)
        arguments: tuple[int | str | None, ...] = (store_id, query.first_id, most)
        if flags or query.tag is not None:
            arguments += (query.tag, *flags)
        row = self._execute(self._sql[name], arguments).get
        revision, last_id, count, plants = row
        more = count > 0 and count == most and self.has_more(store_id, query, last_id)
        return Page(revision or 0, count, plants or b"", last_id or 0, more)

    def has_more(self, store_id: int, query: PlantQuery, last_id: int) -> bool:
        """Whether the query matches a plant beyond this id."""
        if query.tag is None:
            found = self._execute(self._sql["find_plant_after"], (store_id, last_id))
        else:
            found = self._execute(
                self._sql["find_plant_of_tag_after"], (store_id, last_id, query.tag)
            )
        return found.get is not None

    def find_last_id(self, store_id: int, query: PlantQuery) -> int | None:
        """Id of the query's last plant where more follow its limit, else None."""
        if not query.limit:
            return None
        arguments = (store_id, query.first_id, query.limit - 1)
        if query.tag is None:
            found = self._execute(self._sql["find_nth_plant"], arguments)
        else:
            found = self._execute(self._sql["find_nth_plant_of_tag"], (*arguments, query.tag))
        last_id: int | None = found.get
        more = last_id is not None and self.has_more(store_id, query, last_id)
        return last_id if more else None
