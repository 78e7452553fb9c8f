"""Every route gives every error that it can give, in exactly the interface's form.

The errors that need a server in trouble stand in ``test_errors_bounds`` and
``test_errors_database``.
"""

import pytest

from plantstore.http.errors import TABLE
from tests.http import breaks, test_errors_bounds, test_errors_database
from tests.http.breaks import Break
from tests.http.expect import expect_clean_end, expect_error
from tests.http.raw import Connection, Message
from tests.http.scenes import (
    CREATES,
    DELETES,
    LISTS,
    ME,
    OPERATIONS,
    PLANT,
    READS,
    Route,
    Scene,
    make_scene,
)
from tests.service import Service

_BREAKS_OF_ROUTES = (
    ((*OPERATIONS, *ME, *READS), (*breaks.FRAMING, *breaks.EVERYWHERE)),
    (ME, breaks.BEARERS),
    (OPERATIONS, breaks.CALLERS),
    (LISTS, breaks.OF_LISTS),
    (CREATES, breaks.OF_CREATES),
    (DELETES, breaks.OF_DELETES),
)
CASES = [
    pytest.param(route, spoiled, id=f"{route}: {spoiled}")
    for routes, all_breaks in _BREAKS_OF_ROUTES
    for route in routes
    for spoiled in all_breaks
]
NUMBERS = {spoiled.number for _, all_breaks in _BREAKS_OF_ROUTES for spoiled in all_breaks}


@pytest.fixture(scope="module")
def scene(service: Service) -> Scene:
    """A scene whose owner has used the Idempotency-Key ``used``."""
    made = make_scene(service)
    keyed = made.message(CREATES[0]).setting("Idempotency-Key", "used")
    assert made.send(keyed.carrying(PLANT)).number == 40004
    return made


@pytest.mark.parametrize(("route", "spoiled"), CASES)
def test_a_spoiled_request_gets_its_error(scene: Scene, route: Route, spoiled: Break) -> None:
    before = scene.plants()
    message = spoiled.spoil(scene.message(route), scene, route)
    allow = route.allow if spoiled is breaks.METHOD else None
    with Connection(scene.service.origin) as connection:
        answer = connection.ask(message)
        expect_error(answer, spoiled.number, method=message.method, allow=allow)
        expect_clean_end(connection, answer)
    assert scene.plants() == before


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PATCH"])
@pytest.mark.parametrize("path", ["/plant", "/stores", "/stores/nursery", "/metrics", "/me/"])
def test_an_unknown_path_is_none(scene: Scene, method: str, path: str) -> None:
    answer = scene.send(Message(method, path))
    expect_error(answer, 40402, method=method)


@pytest.mark.parametrize("route", OPERATIONS, ids=str)
@pytest.mark.parametrize("method", ["PUT", "PATCH", "TRACE", "QUERY", "PROPFIND"])
def test_other_methods_are_refused(scene: Scene, route: Route, method: str) -> None:
    message = Message(method, scene.message(route).target)
    expect_error(scene.send(message), 40501, allow=route.allow)


def test_every_error_of_the_table_is_provoked_by_a_test() -> None:
    provoked = NUMBERS | test_errors_bounds.NUMBERS | test_errors_database.NUMBERS
    assert provoked == {row.number for row in TABLE}
