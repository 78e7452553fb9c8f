"""HEAD returns the headers of GET and no body; every response has a date."""

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
    """Check that HEAD has GET's headers and no body, and responses follow; return GET's."""
    head = Message("HEAD", get.target, get.headers)
    with Connection(fixture.service.origin) as connection:
        got = connection.request(get)
        connection.send(head, LIVE, head)
        responses = [connection.receive(method) for method in ("HEAD", "GET", "HEAD")]
    assert [response.status for response in responses] == [status, 200, status]
    assert responses[1].json == ALIVE
    assert got.status == status
    first, last, expected = (
        response.stable_parts[1] for response in (responses[0], responses[2], got)
    )
    if get.target.endswith("/events"):  # whose length is not known before they are read
        assert expected.pop("content-length")
    assert first == last == expected
    return got


@pytest.mark.parametrize(
    ("target", "status"),
    [*((it.path, it.status) for it in ROUTES if it.method == "GET"), ("/plants?limit=1", 200)],
)
def test_head_has_the_headers_of_get(fixture: StoreFixture, target: str, status: int) -> None:
    get = fixture.message(LISTS[0]).with_target(target.format(store=fixture.store))
    response = expect_head_of(fixture, get, status)
    assert int(response.headers["content-length"]) == len(response.body) > 0


def test_head_of_a_streamed_list_has_no_content_length(fixture: StoreFixture) -> None:
    fill_store(fixture.service, fixture.store, 1001)
    get = fixture.message(LISTS[0])
    with Connection(fixture.service.origin) as connection:
        got, head = (
            connection.request(get),
            connection.request(Message("HEAD", "/plants", get.headers)),
        )
        assert connection.request(LIVE).json == ALIVE
    assert len(got.json) == 1001
    expected = got.stable_parts[1]
    assert expected.pop("transfer-encoding") == "chunked"
    headers = head.stable_parts[1]
    headers.pop("transfer-encoding", None)  # allowed, since GET has it
    assert headers == expected


def test_head_with_if_none_match_returns_304(fixture: StoreFixture) -> None:
    expect_head_of(fixture, fixture.message(LISTS[0]).with_header("If-None-Match", "*"), 304)


# Dates: ``Connection.receive`` checks that each response has one

FORM = re.compile("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT")


def test_the_date_advances_on_a_busy_connection(fixture: StoreFixture) -> None:
    with Connection(fixture.service.origin) as connection:

        def request_date() -> float:
            """The date of a response; fail unless it is recent and not in the future."""
            sent_at = time.time()
            date = connection.request(fixture.message(LISTS[0])).headers["date"]
            assert FORM.fullmatch(date)
            seconds = parsedate_to_datetime(date).timestamp()
            assert sent_at - 2.5 < seconds <= time.time()
            return seconds

        first = request_date()
        wait_until(lambda: request_date() > first)
