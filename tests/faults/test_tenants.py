"""Whatever one tenant holds, another one's requests succeed: pools keep room for who has none."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.databases import SQLITE_ONLY
from tests.http.blocking import FILLER, fill_store, new_plant, takes_at_most
from tests.http.fixtures import CREATES, LISTS, StoreFixture, make_fixture
from tests.http.raw import Connection, Message
from tests.service import Service
from tests.waiting import wait_until

MAX_REQUESTS = 32
MANY = 50  # connections, of which a network may have 64
pytestmark = SQLITE_ONLY  # the pools are the process's, whatever the database


@pytest.fixture
def service(tmp_path: Path, url: str) -> Iterator[Service]:
    """A service of few requests, so that a hundred connections are a flood."""
    with Service(tmp_path, database=url, settings={"max_requests": MAX_REQUESTS}) as running:
        yield running


def answers_of(fixture: StoreFixture) -> list[int]:
    """The statuses of a list, of a create whose body comes late, and of the readiness."""
    create = fixture.message(CREATES[0]).carrying(new_plant())
    with Connection(fixture.service.origin) as connection:
        listed = connection.ask(fixture.message(LISTS[0]))
        connection.send(create.head())
        connection.send(create.body)
        created = connection.receive()
        ready = connection.ask(Message("GET", "/readyz"))
    return [listed.status, created.status, ready.status]


@contextmanager
def flood(service: Service, *data: bytes) -> Iterator[None]:
    """Connections on each of which one of these was sent, and no more."""
    with ExitStack() as stack:
        for one in data:
            connection = stack.enter_context(Connection(service.origin, receive_buffer=4096))
            connection.send(one)
        yield


def lists_of(fixture: StoreFixture, limits: range) -> list[bytes]:
    """Requests for lists of different lengths, so that none is cached."""
    return [fixture.message(LISTS[0]).aimed_at(f"/plants?limit={one}").to_bytes() for one in limits]


@pytest.mark.parametrize("has_token", [True, False])
def test_bodies_that_never_come_keep_nobody_out(service: Service, *, has_token: bool) -> None:
    attacker, victim = make_fixture(service), make_fixture(service)
    head = b"POST /links/redeem HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n"
    if has_token:
        head = attacker.message(CREATES[0]).carrying(b"x" * 99).head()
    with flood(service, *MANY * [head + b"{"]):
        for _ in range(10):
            assert answers_of(victim) == [200, 200, 200]
        wait_until(lambda: answers_of(attacker) == [200, 200, 200])  # the oldest gave way


def test_pipelines_that_wait_take_little_memory(tmp_path: Path, url: str) -> None:
    with Service(tmp_path, database=url, settings={"max_requests": 64}) as service:
        attacker, victim = make_fixture(service), make_fixture(service)
        pipeline = attacker.message(LISTS[0]).to_bytes() * 2000  # 300 KB
        with takes_at_most(service, 10_000_000), flood(service, *100 * [pipeline]):
            assert answers_of(victim) == [200, 200, 200]


def test_answers_that_one_reader_does_not_take_keep_nobody_out(tmp_path: Path, url: str) -> None:
    bounds = {"max_unsent_bytes": 8 * 2**20}
    with Service(tmp_path, database=url, settings=bounds) as service:
        attacker, victim = make_fixture(service), make_fixture(service)
        for fixture in (attacker, victim):
            fill_store(service, fixture.store, 900, 250, FILLER)
        with flood(service, *lists_of(attacker, range(900 - MANY, 900))):
            for _ in range(10):
                assert answers_of(victim) == [200, 200, 200]


def test_two_stores_that_hold_long_lists_leave_others_some(service: Service) -> None:
    first, second, victim = (make_fixture(service) for _ in range(3))
    for fixture in (first, second, victim):
        fill_store(service, fixture.store, 5000, 250, FILLER)
    limits = range(2000, 2020)
    with flood(service, *lists_of(first, limits), *lists_of(second, limits)):
        for _ in range(3):
            assert answers_of(victim) == [200, 200, 200]
