"""HEAD: the headers of GET, with the length of its body, and no body; and each answer's date."""

import re
import time
from email.utils import parsedate_to_datetime

import pytest

from tests.http.blocking import fill_store
from tests.http.fixtures import LISTS, StoreFixture
from tests.http.raw import ALIVE, LIVE, Connection, Message, Response
from tests.http.routes import ROUTES
from tests.waiting import wait_until


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
    first, last, expected = (answer.lasting[1] for answer in (answers[0], answers[2], got))
    if get.target.endswith("/events"):  # whose length is not known before they are read
        assert expected.pop("content-length")
    assert first == last == expected
    return got


@pytest.mark.parametrize(
    ("target", "status"),
    [*((it.path, it.status) for it in ROUTES if it.method == "GET"), ("/plants?limit=1", 200)],
)
def test_head_has_the_headers_of_get(fixture: StoreFixture, target: str, status: int) -> None:
    get = fixture.message(LISTS[0]).aimed_at(target.format(store=fixture.store))
    answer = expect_head_of(fixture, get, status)
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


# Dates: ``Connection.receive`` sees that each answer has one

FORM = re.compile("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT")


def test_the_date_moves_while_requests_come(fixture: StoreFixture) -> None:
    with Connection(fixture.service.origin) as connection:

        def ask_date() -> float:
            """The date, which is between a little before it was asked for, and now."""
            asked_at = time.time()
            date = connection.ask(fixture.message(LISTS[0])).headers["date"]
            assert FORM.fullmatch(date)
            told = parsedate_to_datetime(date).timestamp()
            assert asked_at - 2.5 < told <= time.time()
            return told

        first = ask_date()
        wait_until(lambda: ask_date() > first)
