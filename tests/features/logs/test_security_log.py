"""The security log: who was refused what, without secrets."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from plantstore.core.model import Scope, token_id_of
from plantstore.core.tokens import hash_token
from tests.http.fixtures import CREATES, DELETES, LISTS, ME, Route, StoreFixture, make_fixture
from tests.http.raw import Connection
from tests.log_lines import LoggingService, Record
from tests.waiting import wait_until

SECURITY = "security"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoggingService]:
    with LoggingService(tmp_path_factory.mktemp("security"), settings={}) as service:
        yield service


@pytest.fixture
def fixture(service: LoggingService) -> StoreFixture:
    fixture = make_fixture(service)
    service.records(SECURITY)
    return fixture


def test_a_refused_token_is_logged_by_its_id(
    service: LoggingService, fixture: StoreFixture
) -> None:
    service.revoke(fixture.token)
    for route in (LISTS[0], CREATES[1], ME[0]):
        response = fixture.send(fixture.message(route))
        record = service.record(SECURITY)
        assert record["message"] == "token refused"
        assert record["level"] == "warning"
        assert record["error_number"] == response.number == 40102
        assert record["token_id"] == token_id_of(hash_token(fixture.token))
        assert record["address"] == "127.0.0.1"
        assert record["request_id"] == response.headers["x-request-id"]
        assert record["route"] == route.path


@pytest.mark.parametrize("mistyped", ["x", "pst_1_x"])
def test_a_malformed_token_is_logged_without_an_id(
    service: LoggingService, fixture: StoreFixture, mistyped: str
) -> None:
    for token in (mistyped, fixture.token[:-1] + ("0" if fixture.token[-1] != "0" else "1")):
        fixture.send(fixture.message(LISTS[0]).replacing_header("Authorization", f"Bearer {token}"))
        assert "token_id" not in service.record(SECURITY)


def test_a_missing_token_is_not_logged(service: LoggingService, fixture: StoreFixture) -> None:
    fixture.send(fixture.message(LISTS[0]).without("Authorization"))
    fixture.send(fixture.message(LISTS[0]).replacing_header("Authorization", "Basic x"))
    fixture.send(fixture.message(LISTS[0]))
    assert service.records(SECURITY) == []


@pytest.mark.parametrize("route", [LISTS[0], CREATES[1], DELETES[0]], ids=str)
def test_a_refused_permission_is_logged_with_user_and_scope(
    service: LoggingService, fixture: StoreFixture, route: Route
) -> None:
    scope = route.scope
    assert scope is not None
    token = fixture.token_missing(scope)
    fixture.send(fixture.message(route, token))
    record = service.record(SECURITY)
    assert (record["message"], record["error_number"]) == ("permission refused", 40301)
    assert record["scope"] == scope.value
    assert record["token_id"] == token_id_of(hash_token(token))
    assert record["store_id"] > 0
    assert record["user_id"] > 0


def test_requests_over_the_rate_limit_are_logged(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("rates")
    with LoggingService(folder, settings={"rate_limit": "20/day"}) as limited:
        fixture = make_fixture(limited)
        with Connection(limited.origin) as connection:
            for _ in range(20):  # the last ones come from the cache
                response = connection.request(fixture.message(LISTS[0]))
        assert response.number == 42901
        record = limited.record(SECURITY)
        assert (record["message"], record["error_number"]) == ("rate limit exceeded", 42901)
        assert record["token_id"] == token_id_of(hash_token(fixture.token))
        assert record["user_id"] > 0


def test_a_flood_of_refusals_hides_no_other_network(tmp_path: Path) -> None:
    with LoggingService(tmp_path, settings={"trusted_proxies": "127.0.0.1"}) as proxied:
        fixture = make_fixture(proxied)
        flood = fixture.message(LISTS[0], fixture.token_missing(Scope.LIST))
        guess = fixture.message(LISTS[0], "pst_guess")
        networks = {f"192.0.2.{number}" for number in range(8)}
        with Connection(proxied.origin) as connection:
            connection.send(*[flood] * 100)
            connection.send(*(guess.with_header("X-Forwarded-For", name) for name in networks))
            assert [connection.receive().status for _ in range(108)] == [403] * 100 + [401] * 8
        logged = [record["address"] for record in proxied.records(SECURITY)]
    assert logged.count("127.0.0.1") < 100
    assert networks & set(logged)


def test_a_flood_of_refusals_is_logged_as_counts(
    service: LoggingService, fixture: StoreFixture
) -> None:
    count = 300
    logged: list[Record] = []
    token = fixture.token_missing(Scope.LIST)
    with Connection(service.origin) as connection:
        connection.send(*[fixture.message(LISTS[0], token)] * count)
        assert {connection.receive().status for _ in range(count)} == {403}

    def count_lines() -> int:  # suppressed lines are counted by the next one
        fixture.send(fixture.message(LISTS[0], token))
        logged.extend(service.records(SECURITY))
        return sum(1 + record.get("suppressed", 0) for record in logged)

    wait_until(lambda: count_lines() >= count)
    assert len(logged) < count
