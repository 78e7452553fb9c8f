"""Every route returns each of its errors, in exactly the interface's form.

``test_errors_bounds`` and ``test_errors_database`` test the errors of an overloaded or broken
server; ``test_refusals`` tests those of slow clients.
"""

from pathlib import Path
from typing import NoReturn

import pytest

from plantstore.core.errors import NoSuchTokenError, PlantStoreError
from plantstore.server.messages import Request
from tests.databases import create_sqlite
from tests.http import invalid_requests
from tests.http.expect import expect_clean_end, expect_error
from tests.http.fixtures import (
    CREATES,
    DELETES,
    GETS,
    HEALTH,
    LISTS,
    ME,
    PLANT,
    UPDATES,
    Route,
    StoreFixture,
    make_fixture,
)
from tests.http.invalid_requests import InvalidRequest
from tests.http.raw import Connection
from tests.http.routes import INVALID_OF_FEATURES, ROUTES
from tests.http.test_turns import application
from tests.service import Service

# HEAD equals GET without a body, and is tested in ``test_head``.
_ALL = [route for route in ROUTES if route.method != "HEAD"]
_ONE_OF_EACH_PATH = {route.path: route for route in _ALL}.values()
_OF_CALLERS = [route for route in _ALL if route.scope is not None]

_INVALID_OF_ROUTES = (
    # Framing is checked before anything knows the route.
    ((LISTS[0], CREATES[0], UPDATES[0], DELETES[0], HEALTH[1]), invalid_requests.FRAMING),
    (LISTS[:2], (invalid_requests.PATH,)),
    (_ONE_OF_EACH_PATH, (invalid_requests.METHOD,)),
    (ME, invalid_requests.BEARERS),
    (_OF_CALLERS, invalid_requests.CALLERS),
    (LISTS, invalid_requests.OF_LISTS),
    (CREATES, invalid_requests.OF_CREATES),
    ((GETS[0], *UPDATES, DELETES[0]), invalid_requests.OF_PLANTS),
    (UPDATES, invalid_requests.OF_UPDATES),
    *INVALID_OF_FEATURES,
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
    fixture = make_fixture(service)
    keyed = fixture.message(CREATES[0]).replacing_header("Idempotency-Key", "used")
    assert fixture.send(keyed.with_body(PLANT)).number == 40004
    return fixture


@pytest.mark.parametrize(("route", "invalid"), CASES)
def test_each_invalid_request_gets_its_error(
    fixture: StoreFixture, route: Route, invalid: InvalidRequest
) -> None:
    before = fixture.plants()
    message = invalid.mutate(fixture.message(route), fixture, route)
    allow = route.allow if invalid is invalid_requests.METHOD else None
    with Connection(fixture.service.origin) as connection:
        response = connection.request(message)
        expect_error(response, invalid.number, method=message.method, allow=allow)
        expect_clean_end(connection, response)
    if invalid is invalid_requests.PERMISSION and route.scope is not None:
        assert f'scope="{route.scope.value}"' in response.headers["www-authenticate"]
        assert f"one with the scope {route.scope.value}, " in response.json["message"]
    assert fixture.plants() == before


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("error", "cause"),
    [(NoSuchTokenError, "KeyError: 'token_id'"), (PlantStoreError, "KeyError: <class")],
    ids=["no-details", "no-row"],
)
async def test_an_error_that_the_table_cannot_describe_is_an_internal_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, error: type[PlantStoreError], cause: str
) -> None:
    async def fail(_request: Request) -> NoReturn:
        raise error

    async with application(create_sqlite(tmp_path)) as app:
        app.routes.add("/fails", {"GET": fail})
        response = await app.handle(Request(b"1", "GET", {}, b"/fails"))
    assert response.error == 50001
    assert cause in caplog.text
