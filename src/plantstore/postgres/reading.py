"""What a query of plants asks of PostgreSQL, and what its answer means; alike for all readers."""

from plantstore.model import DEFAULT_FIELDS, Field, Page, PlantQuery
from plantstore.sql.session import Row

Asked = tuple[str, tuple[object, ...]]


def ask_page(store_id: int, query: PlantQuery, most: int) -> Asked:
    """The name and the arguments of the query that reads a page."""
    most = most if query.limit is None else min(most, query.limit)
    arguments = (store_id, query.first_id, most)
    if query.fields != DEFAULT_FIELDS:
        flags = (field in query.fields for field in Field)
        return "read_page_of_fields", (*arguments, query.tag, *flags)
    if query.tag is not None:
        return "read_page_of_tag", (*arguments, query.tag)
    return "read_page", arguments


def to_page(row: Row) -> Page:
    """The page in its row."""
    revision, count, plants, last_id, more = row
    return Page(revision or 0, count, (plants or "").encode(), last_id or 0, bool(more))


def ask_last_id(store_id: int, query: PlantQuery, limit: int) -> Asked:
    """The name and the arguments of the query for the limit's last plant, if more follow it."""
    return "find_last_of_limit", (store_id, query.first_id, limit - 1, query.tag)
