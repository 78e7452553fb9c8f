"""The order of checks: a request with two errors gets the error of the earlier check."""

from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.http import invalid_requests
from tests.http.expect import expect_error
from tests.http.fixtures import (
    CREATES,
    DELETES,
    GETS,
    LISTS,
    UPDATES,
    Route,
    StoreFixture,
    make_fixture,
)
from tests.http.invalid_requests import InvalidRequest
from tests.http.raw import Message
from tests.service import Service


def _use_up_rate(message: Message, fixture: StoreFixture, _route: Route) -> Message:
    # The owner's only remaining call of the day, after the fixture's create.
    fixture.send(fixture.message(LISTS[0]))
    return message


RATE = InvalidRequest(42901, _use_up_rate, "rate")
_STEPS = (
    invalid_requests.PATH,
    invalid_requests.METHOD,
    invalid_requests.NO_TOKEN,
    invalid_requests.STORE,
    invalid_requests.PERMISSION,
    RATE,
)
_COMMON = (
    *pairwise(_STEPS),
    (invalid_requests.METHOD, invalid_requests.BAD_TOKEN),
    (invalid_requests.BAD_TOKEN, invalid_requests.STORE),
)
# The body of SIZE is no JSON either.
PAIRS = (
    (LISTS[::2], (*_COMMON, (RATE, invalid_requests.BAD_LIMIT))),
    ((*GETS[::2], *DELETES), (*_COMMON, (RATE, invalid_requests.BAD_PLANT_ID))),
    (
        UPDATES,
        (
            *_COMMON,
            (RATE, invalid_requests.BAD_PLANT_ID),
            (invalid_requests.BAD_PLANT_ID, invalid_requests.MEDIA_TYPE),
            (invalid_requests.MEDIA_TYPE, invalid_requests.SIZE),
        ),
    ),
    (
        CREATES,
        (
            *_COMMON,
            (RATE, invalid_requests.MEDIA_TYPE),
            (invalid_requests.MEDIA_TYPE, invalid_requests.SIZE),
        ),
    ),
    (
        CREATES,
        (
            (invalid_requests.BAD_TOKEN, invalid_requests.SIZE),
            (invalid_requests.MEDIA_TYPE, invalid_requests.NOT_JSON),
        ),
    ),
)
# In the token's own store it is the token that is not a member's: it cannot lack a scope too.
CASES = [
    pytest.param(route, first, second, id=f"{route}: {first} before {second}")
    for routes, pairs in PAIRS
    for route in routes
    for first, second in pairs
    if route.path.startswith("/stores") or invalid_requests.STORE not in {first, second}
]


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that allows each user the create of a store's plant, and one call more a day."""
    folder = tmp_path_factory.mktemp("order")
    with Service(folder, settings={"rate_limit": "2/day"}) as running:
        yield running


@pytest.mark.parametrize(("route", "first", "second"), CASES)
def test_the_error_of_the_earlier_check_is_returned(
    limited: Service, route: Route, first: InvalidRequest, second: InvalidRequest
) -> None:
    fixture = make_fixture(limited)
    message = fixture.message(route)
    for invalid in (second, first):
        message = invalid.mutate(message, fixture, route)
    allow = route.allow if first is invalid_requests.METHOD else None
    expect_error(fixture.send(message), first.number, method=message.method, allow=allow)


@pytest.mark.parametrize("route", [LISTS[0], CREATES[0], UPDATES[0], DELETES[0]], ids=str)
def test_a_request_refused_before_the_rate_check_is_not_counted(
    limited: Service, route: Route
) -> None:
    fixture = make_fixture(limited)
    for invalid in (
        invalid_requests.PERMISSION,
        invalid_requests.BAD_TOKEN,
        invalid_requests.METHOD,
    ):
        fixture.send(invalid.mutate(fixture.message(route), fixture, route))
    assert fixture.send(fixture.message(route)).status in {200, 204}
