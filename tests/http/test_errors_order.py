"""The order of checks: where a request is wrong in two ways, the earlier one is told."""

from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.http import breaks
from tests.http.breaks import Break
from tests.http.expect import expect_error
from tests.http.raw import Message
from tests.http.scenes import CREATES, DELETES, LISTS, OPERATIONS, Route, Scene, make_scene
from tests.service import Service


def _use_up_rate(message: Message, scene: Scene, _route: Route) -> Message:
    # The only call of the day that the owner has left after the scene was made.
    scene.send(scene.message(LISTS[0]))
    return message


RATE = Break(42901, _use_up_rate, "rate")
_STEPS = (breaks.PATH, breaks.METHOD, breaks.NO_TOKEN, breaks.STORE, breaks.PERMISSION, RATE)
_COMMON = (*pairwise(_STEPS), (breaks.METHOD, breaks.BAD_TOKEN), (breaks.BAD_TOKEN, breaks.STORE))
# The body of SIZE is no JSON either.
PAIRS = (
    (LISTS, (*_COMMON, (RATE, breaks.BAD_LIMIT))),
    (DELETES, (*_COMMON, (RATE, breaks.BAD_PLANT_ID))),
    (CREATES, (*_COMMON, (RATE, breaks.MEDIA_TYPE), (breaks.MEDIA_TYPE, breaks.SIZE))),
    (CREATES, ((breaks.BAD_TOKEN, breaks.SIZE), (breaks.MEDIA_TYPE, breaks.NOT_JSON))),
)
# In the token's own store it is the token that is not a member's: it cannot lack a scope too.
CASES = [
    pytest.param(route, first, second, id=f"{route}: {first} before {second}")
    for routes, pairs in PAIRS
    for route in routes
    for first, second in pairs
    if route.path.startswith("/stores") or breaks.STORE not in {first, second}
]


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that allows each user the create of a scene's plant, and one call more a day."""
    folder = tmp_path_factory.mktemp("order")
    with Service(folder, settings={"rate_limit": "2/day"}) as running:
        yield running


@pytest.mark.parametrize(("route", "first", "second"), CASES)
def test_the_earlier_check_answers(
    limited: Service, route: Route, first: Break, second: Break
) -> None:
    scene = make_scene(limited)
    message = scene.message(route)
    for spoiled in (second, first):
        message = spoiled.spoil(message, scene, route)
    allow = route.allow if first is breaks.METHOD else None
    expect_error(scene.send(message), first.number, method=message.method, allow=allow)


@pytest.mark.parametrize("route", OPERATIONS, ids=str)
def test_a_call_that_the_checks_before_refuse_is_not_counted(
    limited: Service, route: Route
) -> None:
    scene = make_scene(limited)
    for spoiled in (breaks.PERMISSION, breaks.BAD_TOKEN, breaks.METHOD):
        scene.send(spoiled.spoil(scene.message(route), scene, route))
    assert scene.send(scene.message(route)).status in {200, 204}
