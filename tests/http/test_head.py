"""HEAD: the headers of GET, with the length of its body, and no body."""

import pytest

from tests.http.blocking import fill_store
from tests.http.fixtures import LISTS, StoreFixture
from tests.http.raw import ALIVE, LIVE, Connection, Message, Response
from tests.http.routes import ROUTES


def expect_head_of(fixture: StoreFixture, get: Message, status: int) -> Response:
    """HEAD has what GET has, but for its body, and another answer can follow it; GET's answer."""
    head = Message("HEAD", get.target, get.headers)
    with Connection(fixture.service.origin) as connection:
        got = connection.ask(get)
        connection.send(head, LIVE, head)
        answers = [connection.receive(method) for method in ("HEAD", "GET", "HEAD")]
    assert [answer.status for answer in answers] == [status, 200, status]
    assert answers[1].json == ALIVE
    assert got.status == status
    assert answers[0].lasting[1] == answers[2].lasting[1] == got.lasting[1]
    return got


@pytest.mark.parametrize(
    "target",
    [
        *(route.path for route in ROUTES if route.method == "GET"),
        "/plants?limit=1",
    ],
)
def test_head_has_the_headers_of_get(fixture: StoreFixture, target: str) -> None:
    get = fixture.message(LISTS[0]).aimed_at(target.format(store=fixture.store))
    answer = expect_head_of(fixture, get, 200)
    assert int(answer.headers["content-length"]) == len(answer.body) > 0


def test_head_of_a_long_list_tells_no_length(fixture: StoreFixture) -> None:
    fill_store(fixture.service, fixture.store, 1001)
    get = fixture.message(LISTS[0])
    with Connection(fixture.service.origin) as connection:
        got, head = connection.ask(get), connection.ask(Message("HEAD", "/plants", get.headers))
        assert connection.ask(LIVE).json == ALIVE
    assert len(got.json) == 1001
    expected = got.lasting[1]
    assert expected.pop("transfer-encoding") == "chunked"
    found = head.lasting[1]
    found.pop("transfer-encoding", None)  # it may be told, since GET has it
    assert found == expected


def test_head_of_a_known_list_is_unchanged(fixture: StoreFixture) -> None:
    expect_head_of(fixture, fixture.message(LISTS[0]).adding("If-None-Match", "*"), 304)
