"""Bodies of ``/changes``: their results do not depend on framing and pace."""

from dataclasses import replace

import httpx
import pytest

from tests.features.changes.client import (
    ChangesStream,
    changes_message,
    numbers_of,
    plant_line,
    plant_lines,
    read_lines,
)
from tests.features.changes.test_changes import BODY, EXPECTED, names_in
from tests.http.blocking import memory_grows_at_most
from tests.http.calls import create_plant
from tests.http.expect import expect_clean_end
from tests.http.fixtures import StoreFixture
from tests.http.raw import ALIVE, LIVE, Connection
from tests.service import Service

SHORT = b'{"id": 7}\n\n{"id": 8, "name": "Rue"}'


EXPECTED_OF_SHORT = [(1, 40002), (3, 200)]


def test_repeated_creates_are_reported_as_already_stored(fixture: StoreFixture) -> None:
    """The lines exceed the buffers of the service, and need several commits."""
    count = 5000
    for expected in (200, 40004):
        response = fixture.send(changes_message(fixture.token, plant_lines(range(2, count + 2))))
        results = numbers_of(read_lines(response.body))
        assert results == [(line, expected) for line in range(1, count + 1)]
    assert list(names_in(fixture)) == list(range(1, count + 2))
    assert len(fixture.service.events(fixture.store)) == count + 1


def test_results_arrive_while_the_body_is_still_sent(fixture: StoreFixture) -> None:
    with ChangesStream(fixture.service.origin, fixture.token) as stream:
        # Caddy stops sending the body when a response's head arrives before the first line.
        assert not stream.connection.has_data(0.2)
        for number in range(1, 4):
            stream.send(plant_line(number + 1))
            assert numbers_of(stream.take(1)) == [(number, 200)]
            assert number + 1 in names_in(fixture)
        stream.send(plant_line(5)[:10])
        stream.send(plant_line(5)[10:] + plant_line(6)[:-1])
        assert numbers_of(stream.finish()) == [(4, 200), (5, 200)]
        assert stream.connection.request(LIVE).json == ALIVE


@pytest.mark.parametrize(
    ("size", "body", "expected"),
    [(1, SHORT, EXPECTED_OF_SHORT), (7, SHORT, EXPECTED_OF_SHORT), (5000, BODY, EXPECTED)],
)
def test_the_size_of_chunks_does_not_change_the_results(
    fixture: StoreFixture, size: int, body: bytes, expected: list[tuple[int, int]]
) -> None:
    with ChangesStream(fixture.service.origin, fixture.token) as stream:
        for start in range(0, len(body), size):
            stream.send(body[start : start + size])
        assert numbers_of(stream.finish()) == expected


def test_the_next_request_may_be_pipelined(fixture: StoreFixture) -> None:
    with Connection(fixture.service.origin) as connection:
        connection.send(changes_message(fixture.token, BODY), LIVE)
        assert numbers_of(read_lines(connection.receive("POST").body)) == EXPECTED
        assert connection.receive().json == ALIVE


def test_an_http_1_0_client_gets_an_unchunked_response(fixture: StoreFixture) -> None:
    response = fixture.send(replace(changes_message(fixture.token, BODY), version="HTTP/1.0"))
    assert "transfer-encoding" not in response.headers
    assert numbers_of(read_lines(response.body)) == EXPECTED


def test_a_client_that_half_closes_gets_all_results(fixture: StoreFixture) -> None:
    with Connection(fixture.service.origin) as connection:
        connection.send(changes_message(fixture.token, plant_lines(range(2, 2000))))
        connection.finish_sending()
        assert len(read_lines(connection.receive("POST").body)) == 1998


@pytest.mark.parametrize("chunked", [False, True])
def test_expect_100_continue_is_answered_before_the_body(
    fixture: StoreFixture, *, chunked: bool
) -> None:
    message = changes_message(fixture.token).with_header("Expect", "100-continue")
    message = message.with_header(
        *(("Transfer-Encoding", "chunked") if chunked else ("Content-Length", str(len(BODY))))
    )
    body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY) if chunked else BODY
    with Connection(fixture.service.origin) as connection:
        connection.send(message.head())
        assert connection.receive().status == 100
        connection.send(body)
        response = connection.receive("POST")
        assert numbers_of(read_lines(response.body)) == EXPECTED
        expect_clean_end(connection, response)


def test_a_client_may_send_the_whole_body_before_it_reads(
    client: httpx.Client, service: Service
) -> None:
    create_plant(client, 1, "Fern")
    headers = {"Content-Type": "application/x-ndjson"}
    response = client.post("/changes", content=plant_lines(range(1, 20_001)), headers=headers)
    results = numbers_of(read_lines(response.content))
    assert results == [(1, 40004), *((line, 200) for line in range(2, 20_001))]
    assert "Traceback" not in service.log()


def test_invalid_lines_take_little_memory(fixture: StoreFixture) -> None:
    body = b"{bad\n" * 5000
    with memory_grows_at_most(fixture.service, 10_000_000):
        for _ in range(10):
            response = fixture.send(changes_message(fixture.token, body))
            assert {error for _, error in numbers_of(read_lines(response.body))} == {40001}
