"""The routes of tags, and their invalid requests."""

from plantstore.core.model import Scope
from tests.http.fixtures import BASES, READ, Route
from tests.http.invalid_requests import MANY_PARAMETERS, with_query

ROUTES = tuple(
    Route(method, f"{base}/tags", READ, Scope.LIST) for base in BASES for method in ("GET", "HEAD")
)
_OF_TAGS = (
    with_query(40005, "limit=1001"),
    with_query(40006, "after=%00"),
    with_query(40013, "sort=count"),
    MANY_PARAMETERS,
)
INVALID = ((ROUTES, _OF_TAGS),)
