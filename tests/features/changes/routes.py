"""The routes of changes, and their invalid requests."""

from tests.http.fixtures import BASES, Route, StoreFixture
from tests.http.invalid_requests import (
    BEARERS,
    MANY_PARAMETERS,
    MEDIA_TYPE,
    NO_PRECONDITION,
    InvalidRequest,
    with_header,
    with_query,
)
from tests.http.raw import Message

# The lines need scopes; the request needs none.
ROUTES = tuple(Route("POST", f"{base}/changes", "POST, OPTIONS") for base in BASES)


def _of_lines(invalid: InvalidRequest) -> InvalidRequest:
    def mutate(message: Message, fixture: StoreFixture, route: Route) -> Message:
        lines = message.replacing_header("Content-Type", "application/x-ndjson")
        return invalid.mutate(lines, fixture, route)

    return InvalidRequest(invalid.number, mutate, invalid.name)


_OF_CHANGES = (
    *BEARERS,
    NO_PRECONDITION,
    MEDIA_TYPE,
    with_header(40010, "key", "Idempotency-Key", "key"),
    with_query(40013, "atomic=yes"),
    with_query(40013, "%ff"),
    MANY_PARAMETERS,
)
INVALID = ((ROUTES, tuple(map(_of_lines, _OF_CHANGES))),)
