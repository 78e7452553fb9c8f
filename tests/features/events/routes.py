"""The routes of events, and their invalid requests."""

from plantstore.core.model import Scope
from tests.http.fixtures import BASES, READ, Route
from tests.http.invalid_requests import MANY_PARAMETERS, with_query

ROUTES = tuple(
    Route(method, f"{base}/events", READ, Scope.LIST)
    for base in BASES
    for method in ("GET", "HEAD")
)
_OF_EVENTS = (
    with_query(40005, "limit=1001"),
    with_query(40006, "after=-1"),
    with_query(40007, "include=id"),
    with_query(40013, "offset=2"),
    with_query(40013, "AFTER=2"),
    with_query(40006, "after=1&after=1"),
    MANY_PARAMETERS,
)
INVALID = ((ROUTES, _OF_EVENTS),)
