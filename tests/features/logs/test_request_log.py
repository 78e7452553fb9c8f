"""The request log: all requests with ``access_log``, otherwise slow and failed requests."""

import re
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import httpx
import pytest

from tests.cli.test_serve import ServiceWithFlags
from tests.databases import execute
from tests.http.blocking import FILLER, blocked_writes, fill_store, in_flight_stream
from tests.http.fixtures import CREATES, DELETES, LISTS, StoreFixture, make_fixture
from tests.http.raw import Connection, Message
from tests.http.test_errors_database import UNKNOWN_ROLE
from tests.log_lines import LoggingService
from tests.service import Service
from tests.waiting import wait_until

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
REQUESTS = "requests"
LINE = re.compile(
    r"\S+Z INFO plantstore\.requests: request address=127\.0\.0\.1 request_id=[0-9a-f-]+ method=GET"
    r" route=\S+ status=\d+( error_number=\d+)? duration_ms=\S+"
    r"( store_id=\d+ user_id=\d+ token_id=\w{16})? body_bytes=\d+"
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoggingService]:
    """A service that logs every request, and reports none as slow."""
    settings = {"access_log": True, "slow_request": 0, "trusted_proxies": "127.0.0.0/8"}
    with LoggingService(tmp_path_factory.mktemp("logging"), settings=settings) as service:
        service.records(REQUESTS)  # skip the requests of the start
        yield service


@pytest.fixture
def fixture(service: LoggingService) -> StoreFixture:
    """A store of the service; later records are those of the test."""
    fixture = make_fixture(service)
    service.records(REQUESTS)
    return fixture


def test_each_request_is_logged(service: LoggingService, fixture: StoreFixture) -> None:
    create, delete = fixture.message(CREATES[0]), fixture.message(DELETES[1])
    for message, expected in (
        (create, ("POST", "/plants", 200, None)),
        (create, ("POST", "/plants", 400, 40004)),
        (delete, ("DELETE", "/stores/{store}/plants/{id}", 204, None)),
        (fixture.message(LISTS[1]), ("HEAD", "/plants", 200, None)),
        (Message("OPTIONS", "*"), ("OPTIONS", "*", 204, None)),
        (Message("GET", "/plants"), ("GET", "/plants", 401, 40101)),
        (Message("GET", "/nowhere?x=y"), ("GET", "-", 404, 40402)),
        (Message("GET", "/livez"), ("GET", "/livez", 200, None)),
        (Message("GET", "/static/none.js"), ("GET", "-", 404, 40402)),
    ):
        response = fixture.send(message)
        record = service.record(REQUESTS)
        logged = (record["method"], record["route"], record["status"], record.get("error_number"))
        assert logged == expected
        assert record["message"] == "request"
        assert record["level"] == "info"
        assert record["address"] == "127.0.0.1"
        assert record["request_id"] == response.headers["x-request-id"]
        assert record["body_bytes"] == len(response.body)
        assert record["duration_ms"] >= 0


def test_the_access_log_flag_logs_every_request(tmp_path: Path) -> None:
    with ServiceWithFlags(tmp_path, "--access-log", access_log="false") as flagged:
        httpx.get(f"{flagged.origin}/livez")
        assert " INFO plantstore.requests: request " in flagged.log()


def test_a_repeated_list_is_logged_each_time(
    service: LoggingService, fixture: StoreFixture
) -> None:
    with Connection(service.origin) as connection:
        ids = [
            connection.request(fixture.message(LISTS[0])).headers["x-request-id"] for _ in range(5)
        ]
    assert [record["request_id"] for record in service.records(REQUESTS)] == ids


def test_a_record_has_the_ids_of_store_user_and_token(
    service: LoggingService, fixture: StoreFixture
) -> None:
    for message in (fixture.message(LISTS[0]), fixture.message(LISTS[2])):
        fixture.send(message)
    own, named = service.records(REQUESTS)
    assert own["store_id"] == named["store_id"]
    assert own["user_id"] == named["user_id"]
    assert own["token_id"] == sha256(fixture.token.encode()).hexdigest()[:16]
    fixture.send(fixture.message(LISTS[0], fixture.token_of_non_member()))
    assert "user_id" not in service.record(REQUESTS)


@pytest.mark.parametrize(
    ("traceparent", "trace_id"),
    [
        (f"00-{TRACE}-00f067aa0ba902b7-01", TRACE),
        (f"cc-{TRACE}-00f067aa0ba902b7-01-more", TRACE),
        (f"00-{TRACE}-00f067aa0ba902b7-01-more", None),
        (f"ff-{TRACE}-00f067aa0ba902b7-01", None),
        (f"00-{'0' * 32}-00f067aa0ba902b7-01", None),
        (f"00-{TRACE}-{'0' * 16}-01", None),
        (f"00-{TRACE.upper()}-00f067aa0ba902b7-01", None),
    ],
)
def test_a_valid_traceparent_is_logged_as_the_trace_id(
    service: LoggingService, traceparent: str, trace_id: str | None
) -> None:
    with Connection(service.origin) as connection:
        response = connection.request(
            Message("GET", "/livez").with_header("traceparent", traceparent)
        )
    record = service.record(REQUESTS)
    assert record.get("trace_id") == trace_id
    assert TRACE not in str(response)


def test_the_address_comes_from_a_trusted_proxy(
    service: LoggingService, fixture: StoreFixture
) -> None:
    fixture.send(fixture.message(LISTS[0]).with_header("X-Forwarded-For", "203.0.113.5, 127.0.0.2"))
    assert service.record(REQUESTS)["address"] == "203.0.113.5"


def test_a_streamed_list_is_logged_when_it_ends(
    service: LoggingService, fixture: StoreFixture
) -> None:
    fill_store(service, fixture.store, 4000, size=250, filler=FILLER)
    response = fixture.send(fixture.message(LISTS[0]))
    wait_until(lambda: f'"body_bytes":{len(response.body)},"whole":true' in service.log())
    service.records(REQUESTS)
    with in_flight_stream(fixture) as connection:
        assert service.records(REQUESTS) == []
        connection.reset()
    wait_until(lambda: service.log().count('"whole"') == 2)
    record = service.record(REQUESTS)
    assert record["whole"] is False
    assert record["body_bytes"] < len(response.body)
    assert record["stream_ms"] > 0


def test_failures_are_logged_without_the_access_log(tmp_path: Path) -> None:
    with LoggingService(tmp_path, settings={"slow_request": 0}) as service:
        fixture = make_fixture(service)
        for change, number, level in (
            (UNKNOWN_ROLE["sqlite"], 50001, "error"),
            ("ALTER TABLE revisions RENAME TO lost", 50302, "warning"),
        ):
            execute(service.database, change)
            failed = fixture.send(fixture.message(LISTS[0]).with_header("X-Request-Id", "mine"))
            record = service.record(REQUESTS)
            assert record["error_number"] == failed.number == number
            assert (record["level"], record["message"]) == (level, "request failed")
            assert record["request_id"] == failed.headers["x-request-id"] == "mine"


def wait_past_the_limit(service: Service) -> None:
    end = time.perf_counter() + 0.2
    while time.perf_counter() < end:
        with Connection(service.origin) as connection:
            connection.request(Message("GET", "/livez"))


def test_a_slow_create_is_logged_with_its_duration(tmp_path: Path) -> None:
    with LoggingService(tmp_path, settings={"slow_request": 0.1}) as service:
        fixture = make_fixture(service)
        with Connection(service.origin) as connection:
            with blocked_writes(service):
                connection.send(fixture.message(CREATES[0]).with_header("X-Request-Id", "slow"))
                wait_past_the_limit(service)
            assert connection.receive("POST").status == 200
        [record] = [
            logged for logged in service.records(REQUESTS) if logged["request_id"] == "slow"
        ]
    assert (record["message"], record["level"]) == ("slow request", "warning")
    assert record["duration_ms"] >= 100


def test_a_request_cannot_inject_lines_or_fields_into_the_log(tmp_path: Path) -> None:
    hostile = "%0d%0a2026+INFO+fake:+x+method=GET+\u2028"
    targets = ("/plants/", "/stores/", "/", "/plants?tag=")
    names = ("X-Request-Id", "Forwarded", "X-Forwarded-For", "traceparent", "Authorization")
    with Service(tmp_path, settings={"access_log": True, "slow_request": 0}) as service:
        fixture = make_fixture(service)
        before = len(service.log().splitlines())
        for target in targets:
            message = fixture.message(LISTS[0]).with_target(target + hostile)
            for name in names:
                fixture.send(message.replacing_header(name, hostile.replace("+", " ")))
        lines = service.log().splitlines()[before:]
    assert len(lines) == len(targets) * len(names)
    assert all(map(LINE.fullmatch, lines))
