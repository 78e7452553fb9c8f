"""What ends a connection and what does not, and that no header can hold another."""

import json
from urllib.parse import quote

import pytest

from tests.http.expect import expect_error
from tests.http.raw import Answer, Connection, Message
from tests.http.scenes import CREATES, LISTS, Scene, make_scene
from tests.http.stalls import FILLER, fill_store
from tests.service import Service

LIVE = Message("GET", "/livez")
FERN = b'[{"id":1,"name":"Fern"}]'
pytestmark = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)


@pytest.fixture
def scene(service: Service) -> Scene:
    """A scene of the test's own."""
    return make_scene(service)


@pytest.fixture
def long_list(scene: Scene) -> Message:
    """A list that is streamed."""
    fill_store(scene.service, scene.store, 1500, size=250, filler=FILLER)
    return scene.message(LISTS[0])


def closing(message: Message) -> Message:
    return message.adding("Connection", "close")


def expect_last(connection: Connection, answer: Answer) -> None:
    assert answer.closes
    assert connection.rest() == b""


def test_what_stands_behind_a_closing_request_is_not_done(scene: Scene) -> None:
    create = scene.message(CREATES[0])
    for first in (LIVE, scene.message(LISTS[0]), create.carrying(b"{}")):
        with Connection(scene.service.origin) as connection:
            connection.send(closing(first), create, create)
            expect_last(connection, connection.receive())
    assert scene.plants() == FERN


def test_what_stands_behind_a_closing_stream_is_not_done(scene: Scene, long_list: Message) -> None:
    before = scene.plants()
    with Connection(scene.service.origin) as connection:
        connection.send(LIVE, closing(long_list), scene.message(CREATES[0]).carrying(b"{}"))
        assert connection.receive().json == {"status": "live"}
        answer = connection.receive()
        assert (answer.status, len(answer.json)) == (200, 1500)
        expect_last(connection, answer)
    assert scene.plants() == before


def test_a_stream_ends_the_connection_only_where_it_should(
    scene: Scene, long_list: Message
) -> None:
    with Connection(scene.service.origin) as connection:
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


def test_an_error_ends_the_connection_where_it_should(service: Service) -> None:
    unauthorised = Message("POST", "/plants").carrying(b"{}")
    with Connection(service.origin) as connection:
        answer = connection.ask(unauthorised)
        expect_error(answer, 40101)
        assert not answer.closes
        answer = connection.ask(closing(unauthorised))
        expect_error(answer, 40101)
        expect_last(connection, answer)


@pytest.mark.parametrize("end", ["%0D%0AX-Injected:%201", "%0AX-Injected:%201", "%0D"])
def test_no_target_can_end_a_header(scene: Scene, long_list: Message, end: str) -> None:
    refused = {
        f"/plants?limit=1&tag=even{end}": 40008,
        f"/plants?limit=1&fields=id{end}": 40007,
        f"/plants?limit=1{end}": 40005,
        f"/plants?limit=1&after={end}": 40006,
        f"/plants{end}?limit=1": 40402,
        f"/stores/{scene.store}{end}/plants?limit=1": 40403,
    }
    with Connection(scene.service.origin) as connection:
        for target, number in refused.items():
            expect_error(connection.ask(long_list.aimed_at(target)), number)
        answer = connection.ask(long_list.aimed_at(f"/plants?limit=1&x={end}"))
        assert set(answer.headers) == {
            *("date", "x-request-id", "content-type", "content-length"),
            *("cache-control", "etag", "link"),
        }


def test_a_link_holds_an_odd_tag_as_ascii(scene: Scene) -> None:
    tag = "a\u2028\u0085: b"
    for plant_id in (2, 3):
        plant = {"id": plant_id, "name": "Ivy", "tag": tag}
        assert scene.create(json.dumps(plant).encode()).status == 200
    base = f"/stores/{scene.store}/plants?limit=1&tag={quote(tag)}"
    answer = scene.send(scene.message(LISTS[0]).aimed_at(base))
    assert answer.json == [{"name": "Ivy", "tag": tag}]
    assert answer.headers["link"].isascii()
    assert answer.headers["link"].startswith(f"</stores/{scene.store}/plants?limit=1&after=")
