"""Long lists: whole, of one moment, in little memory, whatever their client does meanwhile."""

import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import httpx
import pytest

from tests.databases import ON_BOTH
from tests.http.blocking import FILLER, fill_store, in_flight_stream, takes_at_most
from tests.http.calls import create_plant
from tests.http.conftest import StartService
from tests.http.fixtures import LISTS, StoreFixture, make_fixture
from tests.http.raw import Response
from tests.service import Service
from tests.waiting import wait_until

COUNT = 5000
SIZE = 250


@pytest.fixture
def full(service: Service) -> StoreFixture:
    """A store that has 5000 plants with long names, 5 MB, at its revision 1."""
    fixture = make_fixture(service)
    fill_store(service, fixture.store, COUNT, SIZE, FILLER)
    return fixture


@pytest.fixture
def writer(service: Service, full: StoreFixture) -> Iterator[httpx.Client]:
    with service.client(full.token) as client:
        yield client


def revision_of(answer: httpx.Response | Response) -> int:
    """The store's revision, which an ETag has between the store and the query."""
    return int(answer.headers["etag"].strip('"').split("-")[1], 16)


def test_a_list_stays_as_it_was_when_it_began(full: StoreFixture, writer: httpx.Client) -> None:
    with in_flight_stream(full) as slow:
        for plant_id in (1, 2, COUNT - 1, COUNT):
            assert writer.delete(f"/plants/{plant_id}").status_code == 204
        create_plant(writer, 0, "first")
        create_plant(writer, COUNT + 1, "last")
        streamed = slow.receive()
    names = [plant["name"] for plant in streamed.json]
    assert names == [f"{number:06}".ljust(SIZE, FILLER) for number in range(1, COUNT + 1)]
    fresh = writer.get("/plants?include=id")
    assert revision_of(fresh) == revision_of(streamed) + 6
    assert [plant["id"] for plant in fresh.json()] == [0, *range(3, COUNT - 1), COUNT + 1]


@ON_BOTH
def test_each_list_is_the_store_at_its_etags_revision(
    service: Service, full: StoreFixture, writer: httpx.Client
) -> None:
    enough = threading.Event()

    def write() -> None:
        for number in range(1, COUNT):
            assert writer.delete(f"/plants/{number}").status_code == 204
            create_plant(writer, COUNT + number, "new")
            if enough.is_set():
                return

    thread = threading.Thread(target=write)
    thread.start()
    listed: list[httpx.Response] = []
    try:
        with service.client(full.token) as reader:
            while len({answer.headers["etag"] for answer in listed}) < 5:
                listed.append(reader.get("/plants?include=id"))
    finally:
        enough.set()
        thread.join()
    revisions = [revision_of(answer) for answer in listed]
    assert revisions == sorted(revisions)
    for answer, revision in zip(listed, revisions, strict=True):
        deleted, created = revision // 2, (revision - 1) // 2
        ids = [plant["id"] for plant in answer.json()]
        assert ids == list(range(1 + deleted, 1 + COUNT + created))


@ON_BOTH
def test_a_long_list_takes_little_memory(start: StartService) -> None:
    own = start()
    fixture = make_fixture(own)
    fill_store(own, fixture.store, 60_000, size=250)
    with own.client(fixture.token) as client:
        client.get("/plants?limit=2000").raise_for_status()
        with takes_at_most(own, 10_000_000), client.stream("GET", "/plants") as streamed:
            assert sum(len(part) for part in streamed.iter_bytes()) > 15_000_000


def test_a_client_that_takes_a_list_too_slowly_is_given_up(start: StartService) -> None:
    own = start(body_timeout=0.5, max_streams=1)
    fixture = make_fixture(own)
    fill_store(own, fixture.store, 40_000, size=250)
    head = fixture.message(LISTS[1])
    with in_flight_stream(fixture) as slow:
        wait_until(lambda: fixture.send(head).status == 200)
        with suppress(ConnectionResetError):  # what its client has not taken yet may be gone
            # It ends without its end, so that nobody takes it for the whole list.
            assert not slow.read_to_end().endswith(b"]\r\n0\r\n\r\n")


def test_an_old_client_gets_a_long_list_as_it_can_read_it(full: StoreFixture) -> None:
    answer = full.send(replace(full.message(LISTS[0]), version="HTTP/1.0"))
    assert "transfer-encoding" not in answer.headers  # HTTP/1.0 knows no chunks
    assert answer.closes
    assert len(json.loads(answer.body)) == COUNT
