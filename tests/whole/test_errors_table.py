"""Every route gives every error that it can give, in exactly the interface's form.

The errors that need a server in trouble stand in ``test_errors_bounds`` and
``test_errors_database``, those that need a slow client in ``test_refusals``.
"""

import pytest

from plantstore.http.errors import TABLE
from tests.features.access.http import test_access_bounds
from tests.features.events.http import test_events
from tests.http import (
    invalid_requests,
    test_errors_bounds,
    test_errors_database,
    test_framing_refused,
    test_refusals,
)
from tests.http.expect import expect_clean_end, expect_error
from tests.http.fixtures import (
    ACCESS,
    CREATES,
    DELETES,
    EVENTS,
    GETS,
    LINK,
    LISTS,
    ME,
    OPERATIONS,
    PLANT,
    READS,
    UPDATES,
    Route,
    StoreFixture,
    make_fixture,
)
from tests.http.invalid_requests import NO_PRECONDITION, InvalidRequest
from tests.http.raw import Connection, Message
from tests.service import Service

_READS = ("GET", "HEAD")
# HEAD is what GET is, without a body: it needs no table of its own.
_ALL = [route for route in (*OPERATIONS, *ACCESS, LINK, *ME, *READS) if route.method != "HEAD"]
_ONE_OF_EACH_PATH = {route.path: route for route in _ALL}.values()
_OF_CALLERS = [route for route in _ALL if route in (*OPERATIONS, *ACCESS)]

_INVALID_OF_ROUTES = (
    # Framing is checked before anything knows the route.
    ((LISTS[0], CREATES[0], UPDATES[0], DELETES[0], READS[1]), invalid_requests.FRAMING),
    (LISTS[:2], (invalid_requests.PATH,)),
    (_ONE_OF_EACH_PATH, (invalid_requests.METHOD,)),
    (ME, invalid_requests.BEARERS),
    (_OF_CALLERS, invalid_requests.CALLERS),
    (LISTS, invalid_requests.OF_LISTS),
    (CREATES, invalid_requests.OF_CREATES),
    ((GETS[0], *UPDATES, DELETES[0]), invalid_requests.OF_PLANTS),
    (UPDATES, invalid_requests.OF_UPDATES),
    (EVENTS, invalid_requests.OF_EVENTS),
    ([route for route in (*ACCESS, LINK) if route.body], invalid_requests.OF_CHANGES),
    ((LINK,), (invalid_requests.BAD_CODE,)),
    ([route for route in ACCESS if route.method not in _READS], (NO_PRECONDITION,)),
    ([route for route in ACCESS if "nobody" in route.path], invalid_requests.OF_MEMBERS),
    ([route for route in ACCESS if route.path.endswith("/1")], (invalid_requests.NO_SUCH_TOKEN,)),
)
CASES = [
    pytest.param(route, invalid, id=f"{route}: {invalid}")
    for routes, all_invalid in _INVALID_OF_ROUTES
    for route in routes
    for invalid in all_invalid
]
NUMBERS = {invalid.number for _, all_invalid in _INVALID_OF_ROUTES for invalid in all_invalid}


@pytest.fixture(scope="module")
def fixture(service: Service) -> StoreFixture:
    """A store whose owner has used the Idempotency-Key ``used``."""
    made = make_fixture(service)
    keyed = made.message(CREATES[0]).setting("Idempotency-Key", "used")
    assert made.send(keyed.carrying(PLANT)).number == 40004
    return made


@pytest.mark.parametrize(("route", "invalid"), CASES)
def test_an_invalid_request_gets_its_error(
    fixture: StoreFixture, route: Route, invalid: InvalidRequest
) -> None:
    before = fixture.plants()
    message = invalid.mutate(fixture.message(route), fixture, route)
    allow = route.allow if invalid is invalid_requests.METHOD else None
    with Connection(fixture.service.origin) as connection:
        answer = connection.ask(message)
        expect_error(answer, invalid.number, method=message.method, allow=allow)
        expect_clean_end(connection, answer)
    assert fixture.plants() == before


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PATCH"])
def test_an_unknown_path_is_none(fixture: StoreFixture, method: str) -> None:
    for path in ("/plant", "/stores/", "/stores/nursery", "/metrics", "/me/"):
        expect_error(fixture.send(Message(method, path)), 40402, method=method)


@pytest.mark.parametrize("method", ["PATCH", "TRACE", "QUERY", "PROPFIND"])
def test_other_methods_are_refused(fixture: StoreFixture, method: str) -> None:
    for route in OPERATIONS:
        message = Message(method, fixture.message(route).target)
        expect_error(fixture.send(message), 40501, allow=route.allow)


def test_every_error_of_the_table_is_provoked_by_a_test() -> None:
    provoked = NUMBERS | test_errors_bounds.NUMBERS | test_errors_database.NUMBERS
    provoked |= test_refusals.NUMBERS | test_framing_refused.NUMBERS | test_events.NUMBERS
    provoked |= test_access_bounds.NUMBERS
    assert provoked == {row.number for row in TABLE}
