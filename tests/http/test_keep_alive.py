"""What ends a connection and what does not, and that no header can hold another."""

import pytest

from tests.http.blocking import FILLER, fill_store
from tests.http.expect import expect_error
from tests.http.fixtures import CREATES, LISTS, StoreFixture
from tests.http.raw import ALIVE, LIVE, Connection, Message, Response
from tests.service import Service

FERN = b'[{"id":1,"name":"Fern"}]'


@pytest.fixture
def long_list(fixture: StoreFixture) -> Message:
    """A list that is streamed."""
    fill_store(fixture.service, fixture.store, 1500, size=250, filler=FILLER)
    return fixture.message(LISTS[0])


def closing(message: Message) -> Message:
    return message.adding("Connection", "close")


def expect_last(connection: Connection, answer: Response) -> None:
    assert answer.closes
    assert connection.read_to_end() == b""


def test_what_stands_behind_a_closing_request_is_not_done(fixture: StoreFixture) -> None:
    create = fixture.message(CREATES[0])
    for first in (LIVE, fixture.message(LISTS[0]), create.carrying(b"{}")):
        with Connection(fixture.service.origin) as connection:
            connection.send(closing(first), create, create)
            expect_last(connection, connection.receive())
    assert fixture.plants() == FERN


def test_what_stands_behind_a_closing_stream_is_not_done(
    fixture: StoreFixture, long_list: Message
) -> None:
    before = fixture.plants()
    with Connection(fixture.service.origin) as connection:
        connection.send(LIVE, closing(long_list), fixture.message(CREATES[0]).carrying(b"{}"))
        assert connection.receive().json == ALIVE
        answer = connection.receive()
        assert (answer.status, len(answer.json)) == (200, 1500)
        expect_last(connection, answer)
    assert fixture.plants() == before


def test_a_stream_ends_the_connection_only_where_it_should(
    fixture: StoreFixture, long_list: Message
) -> None:
    with Connection(fixture.service.origin) as connection:
        for _ in range(2):
            answer = connection.ask(long_list)
            assert "connection" not in answer.headers
            assert answer.headers["transfer-encoding"] == "chunked"
            assert len(answer.json) == 1500
        answer = connection.ask(closing(long_list))
        assert len(answer.json) == 1500
        expect_last(connection, answer)


@pytest.mark.parametrize("value", ["close", "Close", "keep-alive, close", "close, x"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_whole_answer_ends_the_connection_where_it_should(
    service: Service, value: str, method: str
) -> None:
    message = Message(method, "/livez")
    with Connection(service.origin) as connection:
        for other in (message, message.adding("Connection", "keep-alive")):
            assert "connection" not in connection.ask(other).headers
        expect_last(connection, connection.ask(message.adding("Connection", value)))


@pytest.mark.parametrize("end", ["%0D%0AX-Injected:%201", "%0AX-Injected:%201", "%0D"])
def test_no_target_can_end_a_header(fixture: StoreFixture, long_list: Message, end: str) -> None:
    refused = {
        f"/plants?limit=1&tag=even{end}": 40008,
        f"/plants?limit=1&include=id{end}": 40007,
        f"/plants?limit=1{end}": 40005,
        f"/plants?limit=1&after={end}": 40006,
        f"/plants{end}?limit=1": 40402,
        f"/stores/{fixture.store}{end}/plants?limit=1": 40403,
    }
    with Connection(fixture.service.origin) as connection:
        for target, number in refused.items():
            expect_error(connection.ask(long_list.aimed_at(target)), number)
        answer = connection.ask(long_list.aimed_at(f"/plants?limit=1&x={end}"))
        assert set(answer.headers) == {
            *("date", "x-request-id", "content-type", "content-length"),
            *("cache-control", "etag", "link", "vary", "x-content-type-options", "x-total-count"),
        }
