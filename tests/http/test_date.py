"""Answers tell their time, in HTTP's form; ``Connection.receive`` sees that each of them does."""

import re
import time
from email.utils import parsedate_to_datetime

from tests.http.fixtures import LISTS, make_fixture
from tests.http.raw import LIVE, Connection, Message
from tests.service import Service
from tests.waiting import wait_until

FORM = re.compile("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT")
OLDEST = 2.5  # seconds that a date may be behind, with its fraction of a second that is not told


def ask_date(connection: Connection, message: Message = LIVE) -> float:
    """The date of an answer, which is between a little before it was asked for, and now."""
    asked_at = time.time()
    answer = connection.ask(message)
    assert FORM.fullmatch(answer.headers["date"])
    told = parsedate_to_datetime(answer.headers["date"]).timestamp()
    assert asked_at - OLDEST < told <= time.time()
    return told


def test_the_date_moves_while_none_come(service: Service) -> None:
    asked_at = time.time()
    with Connection(service.origin) as connection:
        ask_date(connection)
        wait_until(lambda: time.time() > asked_at + OLDEST + 0.5)
        ask_date(connection)


def test_the_date_moves_while_requests_are_answered_from_memory(service: Service) -> None:
    listing = make_fixture(service).message(LISTS[0])
    with Connection(service.origin) as connection:
        first = ask_date(connection, listing)
        wait_until(lambda: ask_date(connection, listing) > first)
