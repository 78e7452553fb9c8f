"""Every answer tells its time, in HTTP's form."""

import re
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime

import pytest

from tests.http.blocking import fill_store, wait_until
from tests.http.fixtures import CREATES, DELETES, LISTS, SQLITE_ONLY, StoreFixture, make_fixture
from tests.http.raw import Connection, Message, Response
from tests.service import Service

LIVE = Message("GET", "/livez")
FORM = re.compile("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT")
OLDEST = 2.5  # seconds that a date may be behind, with its fraction of a second that is not told
pytestmark = SQLITE_ONLY


@pytest.fixture
def connection(service: Service) -> Iterator[Connection]:
    """A connection to the service."""
    with Connection(service.origin) as connected:
        yield connected


def expect_current_date(answer: Response, asked_at: float) -> float:
    """Its date is between a little before it was asked for, and now; the date."""
    assert FORM.fullmatch(answer.headers["date"])
    told = parsedate_to_datetime(answer.headers["date"]).timestamp()
    assert asked_at - OLDEST < told <= time.time()
    return told


def ask_date(connection: Connection, message: Message = LIVE) -> float:
    asked_at = time.time()
    return expect_current_date(connection.ask(message), asked_at)


def test_each_kind_of_answer_has_a_date(service: Service, connection: Connection) -> None:
    fixture = make_fixture(service)
    create, delete, get = (fixture.message(route[0]) for route in (CREATES, DELETES, LISTS))
    messages = {
        get: 200,
        get.adding("If-None-Match", "*"): 304,
        Message("HEAD", "/plants", get.headers): 200,
        create: 200,
        delete: 204,
        Message("OPTIONS", "/plants"): 204,
        create.carrying(b"{"): 400,
        get.without("Authorization"): 401,
        get.aimed_at("/nowhere"): 404,
    }
    for message, status in messages.items():
        asked_at = time.time()
        answer = connection.ask(message)
        assert answer.status == status
        expect_current_date(answer, asked_at)


@pytest.mark.parametrize("refused", [b"nonsense\r\n\r\n", LIVE.without("Host").to_bytes()])
def test_a_refusal_has_a_date(connection: Connection, refused: bytes) -> None:
    asked_at = time.time()
    connection.send(refused)
    answer = connection.receive()
    assert answer.status == 400
    expect_current_date(answer, asked_at)


def test_a_streamed_list_has_a_date(fixture_of_many: StoreFixture) -> None:
    with Connection(fixture_of_many.service.origin) as connection:
        ask_date(connection, fixture_of_many.message(LISTS[0]))


@pytest.fixture
def fixture_of_many(service: Service) -> StoreFixture:
    """A store whose list is streamed."""
    fixture = make_fixture(service)
    fill_store(service, fixture.store, 1500)
    return fixture


def test_the_date_moves_while_requests_come(connection: Connection) -> None:
    first = ask_date(connection)
    wait_until(lambda: ask_date(connection) > first)


def test_the_date_moves_while_none_come(connection: Connection) -> None:
    asked_at = time.time()
    ask_date(connection)
    wait_until(lambda: time.time() > asked_at + OLDEST + 0.5)
    ask_date(connection)


def test_an_answer_from_memory_has_a_date_of_its_own(
    service: Service, connection: Connection
) -> None:
    listing = make_fixture(service).message(LISTS[0])
    first = ask_date(connection, listing)
    wait_until(lambda: ask_date(connection, listing) > first)
