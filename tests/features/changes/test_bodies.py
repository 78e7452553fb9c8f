"""Bodies with many changes, however they are framed and sent: each has its results."""

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
from tests.http.blocking import takes_at_most
from tests.http.calls import create_plant
from tests.http.expect import expect_clean_end
from tests.http.fixtures import StoreFixture
from tests.http.raw import ALIVE, LIVE, Connection
from tests.service import Service

SHORT = b'{"id": 7}\n\n{"id": 8, "name": "Rue"}'


EXPECTED_OF_SHORT = [(1, 40002), (3, 200)]


def test_many_are_stored_and_sent_again_they_are_told_as_such(fixture: StoreFixture) -> None:
    """More than fits in the buffers of the service, and than are committed at a time."""
    count = 5000
    for expected in (200, 40004):
        answer = fixture.send(changes_message(fixture.token, plant_lines(range(2, count + 2))))
        results = numbers_of(read_lines(answer.body))
        assert results == [(line, expected) for line in range(1, count + 1)]
    assert list(names_in(fixture)) == list(range(1, count + 2))
    assert len(fixture.service.events(fixture.store)) == count + 1


def test_results_come_while_the_body_is_still_sent(fixture: StoreFixture) -> None:
    with ChangesStream(fixture.service.origin, fixture.token) as stream:
        # A head that comes before it makes Caddy send no more of the body.
        assert not stream.connection.has_data(0.2)
        for number in range(1, 4):
            stream.send(plant_line(number + 1))
            assert numbers_of(stream.take(1)) == [(number, 200)]
            assert number + 1 in names_in(fixture)
        stream.send(plant_line(5)[:10])
        stream.send(plant_line(5)[10:] + plant_line(6)[:-1])
        assert numbers_of(stream.finish()) == [(4, 200), (5, 200)]
        assert stream.connection.ask(LIVE).json == ALIVE


@pytest.mark.parametrize(
    ("size", "body", "expected"),
    [(1, SHORT, EXPECTED_OF_SHORT), (7, SHORT, EXPECTED_OF_SHORT), (5000, BODY, EXPECTED)],
)
def test_chunks_of_any_size_are_the_same_body(
    fixture: StoreFixture, size: int, body: bytes, expected: list[tuple[int, int]]
) -> None:
    with ChangesStream(fixture.service.origin, fixture.token) as stream:
        for start in range(0, len(body), size):
            stream.send(body[start : start + size])
        assert numbers_of(stream.finish()) == expected


def test_the_next_request_may_follow_at_once(fixture: StoreFixture) -> None:
    with Connection(fixture.service.origin) as connection:
        connection.send(changes_message(fixture.token, BODY), LIVE)
        assert numbers_of(read_lines(connection.receive("POST").body)) == EXPECTED
        assert connection.receive().json == ALIVE


def test_a_client_of_http_1_0_reads_to_the_end(fixture: StoreFixture) -> None:
    answer = fixture.send(replace(changes_message(fixture.token, BODY), version="HTTP/1.0"))
    assert "transfer-encoding" not in answer.headers
    assert numbers_of(read_lines(answer.body)) == EXPECTED


def test_who_ends_its_sending_side_gets_all_results(fixture: StoreFixture) -> None:
    with Connection(fixture.service.origin) as connection:
        connection.send(changes_message(fixture.token, plant_lines(range(2, 2000))))
        connection.finish_sending()
        assert len(read_lines(connection.receive("POST").body)) == 1998


@pytest.mark.parametrize("chunked", [False, True])
def test_a_client_that_expects_it_is_told_to_continue(
    fixture: StoreFixture, *, chunked: bool
) -> None:
    message = changes_message(fixture.token).adding("Expect", "100-continue")
    message = message.adding(
        *(("Transfer-Encoding", "chunked") if chunked else ("Content-Length", str(len(BODY))))
    )
    body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY) if chunked else BODY
    with Connection(fixture.service.origin) as connection:
        connection.send(message.head())
        assert connection.receive().status == 100
        connection.send(body)
        answer = connection.receive("POST")
        assert numbers_of(read_lines(answer.body)) == EXPECTED
        expect_clean_end(connection, answer)


def test_a_client_library_may_send_first_and_read_then(
    client: httpx.Client, service: Service
) -> None:
    create_plant(client, 1, "Fern")
    headers = {"Content-Type": "application/x-ndjson"}
    answer = client.post("/changes", content=plant_lines(range(1, 20_001)), headers=headers)
    results = numbers_of(read_lines(answer.content))
    assert results == [(1, 40004), *((line, 200) for line in range(2, 20_001))]
    assert "Traceback" not in service.log()


def test_lines_with_errors_take_little_memory(fixture: StoreFixture) -> None:
    body = b"{bad\n" * 5000
    with takes_at_most(fixture.service, 10_000_000):
        for _ in range(10):
            answer = fixture.send(changes_message(fixture.token, body))
            assert {error for _, error in numbers_of(read_lines(answer.body))} == {40001}
