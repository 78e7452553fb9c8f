"""What ends a request to ``/changes`` early, and which results the client gets."""

import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from plantstore.core.model import Role
from tests.databases import Kind
from tests.features.changes.client import (
    ChangesStream,
    changes_message,
    list_ids,
    numbers_of,
    plant_line,
    plant_lines,
    read_lines,
)
from tests.http.blocking import blocked_writes, peak_memory
from tests.http.fixtures import CREATES, LISTS, StoreFixture, make_fixture
from tests.http.raw import LIVE, Connection, Response
from tests.service import Service
from tests.waiting import wait_until

TIMEOUT = 1.0


@pytest.fixture(scope="module")
def service(database_kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("changes")
    settings = {"body_timeout": TIMEOUT, "write_timeout": TIMEOUT}
    with (
        database_kind.fresh(folder) as url,
        Service(folder, database=url, settings=settings) as service,
    ):
        yield service


def after_two_lines(fixture: StoreFixture) -> ChangesStream:
    """A stream that has sent the plants 2 and 3, and read their results."""
    stream = ChangesStream(fixture.service.origin, fixture.token)
    stream.send(plant_lines((2, 3)))
    assert numbers_of(stream.take(2)) == [(1, 200), (2, 200)]
    return stream


def test_a_client_that_has_ended_its_side_gets_all_results(fixture: StoreFixture) -> None:
    create, listing = (
        fixture.message(CREATES[0]).with_body(plant_line(-1)),
        fixture.message(LISTS[0]),
    )
    head = changes_message(fixture.token).with_header("Transfer-Encoding", "chunked").head()
    tiny = [b"1\r\n%c\r\n" % byte for byte in plant_lines(range(2, 12))]  # parsed in several turns
    with Connection(fixture.service.origin) as connection:
        with blocked_writes(fixture.service):
            connection.send(create, head, *tiny, b"0\r\n\r\n", listing)
            connection.finish_sending()
        assert connection.receive("POST").status == 200
        results = read_lines(connection.receive("POST").body)
        assert [result["status"] for result in results] == 10 * [200]
        assert len(connection.receive().json) == 12
        assert connection.read_to_end() == b""


def test_revoking_the_token_ends_the_stream(fixture: StoreFixture) -> None:
    with after_two_lines(fixture) as stream:
        fixture.service.revoke(fixture.token)
        stream.send(plant_line(4))
        assert numbers_of(stream.results()) == [(3, 40102)]
    assert len(fixture.service.events(fixture.store)) == 3


def test_lines_after_a_demotion_are_refused(fixture: StoreFixture) -> None:
    with after_two_lines(fixture) as stream:
        fixture.service.make_token(fixture.store, f"heir of {fixture.store}", role=Role.OWNER)
        fixture.service.set_role(fixture.store, f"owner of {fixture.store}", Role.READER)
        stream.send(b"[]\n" + plant_lines((4, 5)))
        assert numbers_of(stream.finish()) == [(3, 40002), (4, 40301), (5, 40301)]
    assert list_ids(fixture.service, fixture.token) == [1, 2, 3]


def test_lines_past_the_quota_are_refused_until_a_plant_is_deleted(fixture: StoreFixture) -> None:
    with fixture.service.administration() as administration:
        administration.set_quota(fixture.store, 4)
    with after_two_lines(fixture) as stream:
        stream.send(plant_lines((4, 5, 2, 6)))
        assert numbers_of(stream.take(4)) == [(3, 200), (4, 40302), (5, 40004), (6, 40302)]
        with fixture.service.client(fixture.token) as client:
            assert client.delete("/plants/2").status_code == 204
        stream.send(plant_line(6))
        assert numbers_of(stream.take(1)) == [(7, 200)]
        assert stream.finish() == []
    assert list_ids(fixture.service, fixture.token) == [1, 3, 4, 6]


def test_a_database_that_does_not_respond_ends_the_stream(fixture: StoreFixture) -> None:
    with after_two_lines(fixture) as stream, blocked_writes(fixture.service):
        stream.send(plant_lines((4, 5)))
        assert numbers_of(stream.results()) == [(3, 50302), (4, 50302)]
    assert list_ids(fixture.service, fixture.token) == [1, 2, 3]


def test_a_client_that_stops_sending_gets_a_timeout_error(fixture: StoreFixture) -> None:
    with after_two_lines(fixture) as stream:
        stream.send(plant_line(4)[:-1])
        assert numbers_of(stream.results()) == [(3, 40801)]
        assert stream.connection.read_to_end() == b""
    assert list_ids(fixture.service, fixture.token) == [1, 2, 3]


def test_the_body_timeout_applies_to_each_part_of_the_body(fixture: StoreFixture) -> None:
    ids = iter(range(4, 10**6))
    with after_two_lines(fixture) as stream:
        end = time.monotonic() + 2 * TIMEOUT
        while time.monotonic() < end:
            stream.send(plant_line(next(ids)))
            assert stream.take(1)[0]["status"] == 200
        assert stream.finish() == []


@pytest.mark.parametrize("invalid", [b"xyz\r\n", b"-1\r\n", b"5;\x00\r\n"])
def test_invalid_chunks_end_the_stream(fixture: StoreFixture, invalid: bytes) -> None:
    with after_two_lines(fixture) as stream:
        stream.connection.send(invalid)
        assert numbers_of(stream.results()) == [(3, 40011)]
        assert stream.connection.read_to_end() == b""


def send_until_closed(stream: ChangesStream, lines: bytes) -> int:
    """Send the lines repeatedly until the service ends the connection; return the bytes sent."""
    sent = 0
    with suppress(ConnectionError):
        while sent < 200_000_000:
            stream.send(lines)
            sent += len(lines)
    return sent


def test_a_client_that_reads_no_results_is_disconnected(fixture: StoreFixture) -> None:
    service = fixture.service
    refused = b"[]\n" * 1000  # a result is fifty times as long
    before = peak_memory(service)
    with ChangesStream(service.origin, fixture.token, receive_buffer=4096) as stream:
        assert send_until_closed(stream, refused) < 20_000_000  # what both systems buffer
    assert peak_memory(service) - before < 16 * 2**20
    wait_until(lambda: "its client reads too slowly" in service.log())


def request_number(response: Response) -> int:
    """The number in the request's id: the service counts requests as they begin."""
    return int(response.headers["x-request-id"].split("-")[1], 16)


def test_blank_lines_take_no_memory_and_delay_no_other_request(fixture: StoreFixture) -> None:
    service, blank = fixture.service, 2**14 * b"\n"
    before = peak_memory(service)
    with (
        after_two_lines(fixture) as stream,
        Connection(service.origin) as other,
        ThreadPoolExecutor() as pool,
    ):

        def send_rest() -> None:
            for _ in range(63):
                stream.send(blank)
            stream.connection.send(b"0\r\n\r\n", LIVE)

        service.process.send_signal(signal.SIGSTOP)  # or the result depends on the clients' speed
        stream.send(blank)
        sending = pool.submit(send_rest)
        other.send(*1000 * [LIVE])
        service.process.send_signal(signal.SIGCONT)
        responses = [other.receive() for _ in range(1000)]
        sending.result()
        assert list(stream.results()) == []
        next_response = stream.connection.receive()
    assert {response.status for response in responses} == {200}
    assert request_number(responses[-1]) < request_number(next_response)
    assert peak_memory(service) - before < 16 * 2**20


def test_changes_leave_room_in_the_write_queue(tmp_path: Path) -> None:
    with Service(tmp_path, settings={"max_requests": 16}) as service:
        fixture = make_fixture(service)
        with Connection(service.origin) as connection, service.client(fixture.token) as client:
            connection.send(changes_message(fixture.token, plant_lines(range(2, 2000))))
            statuses = [
                client.post("/plants", json={"id": -number, "name": "Ivy"}).status_code
                for number in range(100)
            ]
            assert set(statuses) == {200}
            results = read_lines(connection.receive("POST").body)
            assert {result["status"] for result in results} == {200}


def test_a_store_may_use_half_of_the_streams(tmp_path: Path) -> None:
    with Service(tmp_path, settings={"max_streams": 4}) as service:
        fixture, other = make_fixture(service), make_fixture(service)
        body = changes_message(fixture.token, plant_line(9))
        with after_two_lines(fixture) as first:
            with ChangesStream(service.origin, fixture.token) as second:
                second.send(plant_line(8))
                assert numbers_of(second.take(1)) == [(1, 200)]
                assert fixture.send(body).number == 50301
                assert other.send(changes_message(other.token, plant_line(9))).status == 200
                assert second.finish() == []
            assert fixture.send(body).status == 200
            assert first.finish() == []
