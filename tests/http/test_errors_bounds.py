"""Over each limit of a small server, each route returns the limit's error, and recovers."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from tests.http.blocking import (
    FILLER,
    fill_store,
    in_flight_request,
    in_flight_stream,
)
from tests.http.conftest import StartService
from tests.http.expect import expect_error
from tests.http.fixtures import (
    CREATES,
    DELETES,
    LISTS,
    PLANT,
    Route,
    StoreFixture,
    make_fixture,
)
from tests.http.raw import Connection, Message, Response
from tests.http.routes import ROUTES
from tests.waiting import wait_until

# The errors that these tests cause; ``test_every_error`` collects them.
NUMBERS = {40302, 42901, 50301}


def send(fixture: StoreFixture, route: Route) -> Response:
    return fixture.send(fixture.message(route))


def send_at_once(fixture: StoreFixture, *routes: Route) -> Iterator[tuple[Route, Response]]:
    """The responses to concurrent requests; the service accepts 16 connections and delays some."""
    with ThreadPoolExecutor(16) as threads:
        yield from zip(routes, threads.map(partial(send, fixture), routes), strict=True)


def test_a_user_over_the_rate_limit_gets_429_with_retry_after(start: StartService) -> None:
    service = start(rate_limit="1/hour")
    for route in ROUTES:
        fixture = make_fixture(service)
        response = send(fixture, route)
        if route.needs_token:
            expect_error(response, 42901, method=route.method)
            assert 3500 < int(response.headers["retry-after"]) <= 3600
        else:
            assert response.status != 429


def test_a_request_with_a_delayed_body_is_counted_once(start: StartService) -> None:
    fixture = make_fixture(start(rate_limit="2/hour"))  # the fixture's plant was the first call
    create = fixture.message(CREATES[0]).with_header("Expect", "100-continue")
    with Connection(fixture.service.origin) as connection:
        connection.send(create.head())
        assert connection.receive().status == 100
        assert not connection.has_data(0.1)
        connection.send(create.body)
        assert connection.receive().status == 200


def test_a_full_store_refuses_creates_until_a_plant_is_deleted(start: StartService) -> None:
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


def test_over_max_requests_only_routes_that_need_a_token_are_refused(
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


def test_over_max_requests_unknown_paths_and_methods_get_their_errors(start: StartService) -> None:
    fixture = make_fixture(start(max_requests=1))
    with in_flight_request(fixture):
        for path in {route.path.format(store=fixture.store) for route in ROUTES}:
            preflight = fixture.send(
                Message("OPTIONS", path).with_header("Origin", "https://a.example")
            )
            assert preflight.status == 204
            assert fixture.send(Message("PATCH", path)).number == 40501
        expect_error(fixture.send(Message("GET", "/nowhere")), 40402)


def test_a_stores_lists_over_max_streams_are_refused_but_not_anothers(start: StartService) -> None:
    service = start(max_streams=2)
    fixture, other = make_fixture(service), make_fixture(service)
    for each in (fixture, other):
        fill_store(service, each.store, 5000, size=250, filler=FILLER)
    with in_flight_stream(fixture):
        for route, response in send_at_once(fixture, *LISTS):
            expect_error(response, 50301, method=route.method)
        page = fixture.message(LISTS[0])
        assert fixture.send(page.with_target(f"{page.target}?limit=100")).status == 200
        assert len(send(other, LISTS[0]).json) == 5000
    for _ in range(6):  # each frees its stream
        assert send(other, LISTS[1]).status == 200
    wait_until(lambda: send(fixture, LISTS[0]).status == 200)
