"""What closes a connection and what keeps it open; no header can be injected."""

import pytest

from tests.http.blocking import FILLER, fill_store
from tests.http.expect import expect_error
from tests.http.fixtures import CREATES, LISTS, StoreFixture
from tests.http.raw import ALIVE, LIVE, Connection, Message
from tests.service import Service


@pytest.fixture
def long_list(fixture: StoreFixture) -> Message:
    fill_store(fixture.service, fixture.store, 1500, size=250, filler=FILLER)
    return fixture.message(LISTS[0])


@pytest.mark.parametrize("first", ["whole", "cached", "refused", "stream"])
def test_requests_after_connection_close_are_not_executed(
    fixture: StoreFixture, long_list: Message, first: str
) -> None:
    before = fixture.plants()
    create = fixture.message(CREATES[0])
    messages = {
        "whole": LIVE,
        "cached": long_list.with_target("/plants?limit=1"),
        "refused": create.with_body(b"{}"),
        "stream": long_list,
    }
    with Connection(fixture.service.origin) as connection:
        closing = messages[first].with_header("Connection", "close")
        connection.send(LIVE, closing, create.with_body(b"{}"), create)
        assert connection.receive().json == ALIVE
        response = connection.receive()
        assert response.status == (400 if first == "refused" else 200)
        assert first != "stream" or len(response.json) == 1500
        assert response.closes
        assert connection.read_to_end() == b""
    assert fixture.plants() == before


def test_a_streamed_list_keeps_the_connection_open(
    fixture: StoreFixture, long_list: Message
) -> None:
    with Connection(fixture.service.origin) as connection:
        for _ in range(2):
            response = connection.request(long_list)
            assert "connection" not in response.headers
            assert response.headers["transfer-encoding"] == "chunked"
            assert len(response.json) == 1500


@pytest.mark.parametrize("value", ["close", "Close", "keep-alive,\tclose", "close , x"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_connection_close_closes_the_connection(service: Service, value: str, method: str) -> None:
    message = Message(method, "/livez")
    with Connection(service.origin) as connection:
        for other in ("keep-alive", "closed", "not close", "x-close, keep-alive"):
            response = connection.request(message.with_header("Connection", other))
            assert "connection" not in response.headers
        assert connection.request(message.with_header("Connection", value)).closes
        assert connection.read_to_end() == b""


@pytest.mark.parametrize("end", ["%0D%0AX-Injected:%201", "%0AX-Injected:%201", "%0D"])
def test_a_target_with_line_breaks_injects_no_header(
    fixture: StoreFixture, long_list: Message, end: str
) -> None:
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
            expect_error(connection.request(long_list.with_target(target)), number)
        response = connection.request(long_list.with_target(f"/plants?limit=1&x={end}"))
        assert set(response.headers) == {
            *("date", "x-request-id", "content-type", "content-length"),
            *("cache-control", "etag", "link", "store-revision", "vary"),
            *("x-content-type-options", "x-total-count"),
        }
