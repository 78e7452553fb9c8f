"""One tenant cannot exhaust the shared pools: another tenant's requests succeed."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.databases import SQLITE_ONLY
from tests.http.blocking import FILLER, fill_store, memory_grows_at_most, new_plant
from tests.http.fixtures import CREATES, LISTS, StoreFixture, make_fixture
from tests.http.raw import Connection, Message
from tests.service import Service
from tests.waiting import wait_until

MAX_REQUESTS = 32
MANY = 50  # connections, of which a network may have 64
pytestmark = SQLITE_ONLY  # the pools do not depend on the database


@pytest.fixture
def service(tmp_path: Path, url: str) -> Iterator[Service]:
    """A service with a small ``max_requests``, so that a hundred connections are a flood."""
    with Service(tmp_path, database=url, settings={"max_requests": MAX_REQUESTS}) as running:
        yield running


def statuses_of(fixture: StoreFixture) -> list[int]:
    """The statuses of a list, of a create with a delayed body, and of readiness."""
    create = fixture.message(CREATES[0]).with_body(new_plant())
    with Connection(fixture.service.origin) as connection:
        listed = connection.request(fixture.message(LISTS[0]))
        connection.send(create.head())
        connection.send(create.body)
        created = connection.receive()
        ready = connection.request(Message("GET", "/readyz"))
    return [listed.status, created.status, ready.status]


@contextmanager
def flood(service: Service, *data: bytes) -> Iterator[None]:
    """Open a connection for each item of data, send the item, and keep the connection open."""
    with ExitStack() as stack:
        for item in data:
            connection = stack.enter_context(Connection(service.origin, receive_buffer=4096))
            connection.send(item)
        yield


def lists_of(fixture: StoreFixture, limits: range) -> list[bytes]:
    """Requests for lists of different lengths, so that none is cached."""
    return [
        fixture.message(LISTS[0]).with_target(f"/plants?limit={limit}").to_bytes()
        for limit in limits
    ]


@pytest.mark.parametrize("has_token", [True, False])
def test_incomplete_bodies_do_not_block_other_tenants(service: Service, *, has_token: bool) -> None:
    attacker, victim = make_fixture(service), make_fixture(service)
    head = b"POST /links/redeem HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n"
    if has_token:
        head = attacker.message(CREATES[0]).with_body(b"x" * 99).head()
    with flood(service, *MANY * [head + b"{"]):
        for _ in range(10):
            assert statuses_of(victim) == [200, 200, 200]
        # The oldest bodies are evicted.
        wait_until(lambda: statuses_of(attacker) == [200, 200, 200])


def test_waiting_pipelines_use_little_memory(tmp_path: Path, url: str) -> None:
    with Service(tmp_path, database=url, settings={"max_requests": 64}) as service:
        attacker, victim = make_fixture(service), make_fixture(service)
        pipeline = attacker.message(LISTS[0]).to_bytes() * 2000  # 300 KB
        with memory_grows_at_most(service, 10_000_000), flood(service, *100 * [pipeline]):
            assert statuses_of(victim) == [200, 200, 200]


def test_unread_responses_do_not_block_other_tenants(tmp_path: Path, url: str) -> None:
    bounds = {"max_unsent_bytes": 8 * 2**20}
    with Service(tmp_path, database=url, settings=bounds) as service:
        attacker, victim = make_fixture(service), make_fixture(service)
        for fixture in (attacker, victim):
            fill_store(service, fixture.store, 900, 250, FILLER)
        with flood(service, *lists_of(attacker, range(900 - MANY, 900))):
            for _ in range(10):
                assert statuses_of(victim) == [200, 200, 200]


def test_long_lists_of_two_stores_leave_streams_for_other_stores(service: Service) -> None:
    first, second, victim = (make_fixture(service) for _ in range(3))
    for fixture in (first, second, victim):
        fill_store(service, fixture.store, 5000, 250, FILLER)
    limits = range(2000, 2020)
    with flood(service, *lists_of(first, limits), *lists_of(second, limits)):
        for _ in range(3):
            assert statuses_of(victim) == [200, 200, 200]
