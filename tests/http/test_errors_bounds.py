"""Past each bound of a small server, each route gives the bound's error, and recovers."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial

from tests.http.blocking import (
    FILLER,
    blocked_writes,
    fill_store,
    in_flight_request,
    in_flight_stream,
    new_plant,
)
from tests.http.conftest import StartService
from tests.http.expect import expect_error
from tests.http.fixtures import (
    CREATES,
    DELETES,
    LISTS,
    PLANT,
    WRITES,
    Route,
    StoreFixture,
    make_fixture,
)
from tests.http.raw import Connection, Message, Response
from tests.http.routes import ROUTES
from tests.waiting import wait_until

# What the tests of this module provoke; ``test_every_error`` adds them up.
NUMBERS = {40302, 42901, 50301}


def send(fixture: StoreFixture, route: Route) -> Response:
    return fixture.send(fixture.message(route))


def send_at_once(fixture: StoreFixture, *routes: Route) -> Iterator[tuple[Route, Response]]:
    """The answers, some of which the service delays; it takes so many connections at a time."""
    with ThreadPoolExecutor(16) as threads:
        yield from zip(routes, threads.map(partial(send, fixture), routes), strict=True)


def fill_queue(fixture: StoreFixture, stack: ExitStack) -> list[Connection]:
    """Connections with creates that wait, until no more may."""
    waiting: list[Connection] = []
    while True:
        connection = stack.enter_context(Connection(fixture.service.origin))
        connection.send(fixture.message(CREATES[0]).carrying(new_plant()))
        if connection.has_data(0.5):
            expect_error(connection.receive(), 50301)
            return waiting
        waiting.append(connection)


def test_a_user_over_the_rate_is_told_when_to_go_on(start: StartService) -> None:
    service = start(rate_limit="1/hour")
    for route in ROUTES:
        fixture = make_fixture(service)
        answer = send(fixture, route)
        if route.needs_token:
            expect_error(answer, 42901, method=route.method)
            assert 3500 < int(answer.headers["retry-after"]) <= 3600
        else:
            assert answer.status != 429


def test_a_body_that_comes_late_is_not_counted_twice(start: StartService) -> None:
    fixture = make_fixture(start(rate_limit="2/hour"))  # the fixture's plant was the first call
    create = fixture.message(CREATES[0]).adding("Expect", "100-continue")
    with Connection(fixture.service.origin) as connection:
        connection.send(create.head())
        assert connection.receive().status == 100
        assert not connection.has_data(0.1)
        connection.send(create.body)
        assert connection.receive().status == 200


def test_a_full_store_takes_no_plant_until_one_is_deleted(start: StartService) -> None:
    fixture = make_fixture(start())
    with fixture.service.administration() as administration:
        administration.set_quota(fixture.store, 1)
    for route in CREATES:
        expect_error(send(fixture, route), 40302)
    assert fixture.create(PLANT).number == 40004
    assert send(fixture, LISTS[0]).headers["x-total-count"] == "1"
    assert send(fixture, DELETES[0]).status == 204
    assert send(fixture, CREATES[0]).status == 200
    assert send(fixture, LISTS[0]).headers["x-total-count"] == "1"


def test_requests_past_a_stores_bound_are_refused_but_what_needs_no_token(
    start: StartService,
) -> None:
    fixture = make_fixture(start(max_requests=1))
    with in_flight_request(fixture):
        for route, response in send_at_once(fixture, *ROUTES):
            if route.needs_token:
                expect_error(response, 50301, method=route.method)
            elif route.method in {"GET", "HEAD"}:
                assert response.status == 200
    wait_until(lambda: send(fixture, LISTS[0]).status == 200)


def test_past_the_bound_paths_and_methods_are_told_as_ever(start: StartService) -> None:
    fixture = make_fixture(start(max_requests=1))
    with in_flight_request(fixture):
        for path in {route.path.format(store=fixture.store) for route in ROUTES}:
            preflight = fixture.send(Message("OPTIONS", path).adding("Origin", "https://a.example"))
            assert preflight.status == 204
            assert fixture.send(Message("PATCH", path)).number == 40501
        expect_error(fixture.send(Message("GET", "/nowhere")), 40402)


def test_writes_past_the_bound_are_refused_and_nothing_is_done(start: StartService) -> None:
    fixture = make_fixture(start(max_writes=1, database_timeout=30, write_timeout=30))
    with ExitStack() as stack:
        with blocked_writes(fixture.service):
            waiting = fill_queue(fixture, stack)
            for route in WRITES:
                expect_error(send(fixture, route), 50301)
            assert fixture.plants() == b'[{"id":1,"name":"Fern"}]'
        answers = [connection.receive() for connection in waiting]
    taken = sum(answer.status == 200 for answer in answers)
    assert 1 <= taken <= 2  # one more where one is under way
    assert len(json.loads(fixture.plants())) == 1 + taken


def test_long_lists_past_the_bound_are_refused_and_others_have_theirs(start: StartService) -> None:
    service = start(max_streams=2)
    fixture, other = make_fixture(service), make_fixture(service)
    for one in (fixture, other):
        fill_store(service, one.store, 5000, size=250, filler=FILLER)
    with in_flight_stream(fixture):
        for route, response in send_at_once(fixture, *LISTS):
            expect_error(response, 50301, method=route.method)
        page = fixture.message(LISTS[0])
        assert fixture.send(page.aimed_at(f"{page.target}?limit=1000")).status == 200
        assert len(send(other, LISTS[0]).json) == 5000
    for _ in range(6):  # each gives its place back
        assert send(other, LISTS[1]).status == 200
    wait_until(lambda: send(fixture, LISTS[0]).status == 200)
