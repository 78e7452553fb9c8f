"""Long lists: consistent snapshots, streamed in little memory, with timeouts."""

import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import httpx
import pytest

from tests.databases import ON_BOTH
from tests.http.blocking import FILLER, fill_store, in_flight_stream, memory_grows_at_most
from tests.http.calls import create_plant
from tests.http.conftest import StartService
from tests.http.fixtures import LISTS, StoreFixture, make_fixture
from tests.http.raw import Response
from tests.service import Service
from tests.waiting import wait_until

COUNT = 5000
SIZE = 250


@pytest.fixture
def full_store(service: Service) -> StoreFixture:
    """A store that has 5000 plants with long names, 5 MB, at its revision 1."""
    fixture = make_fixture(service)
    fill_store(service, fixture.store, COUNT, SIZE, FILLER)
    return fixture


@pytest.fixture
def writer(service: Service, full_store: StoreFixture) -> Iterator[httpx.Client]:
    with service.client(full_store.token) as client:
        yield client


def revision_of(response: httpx.Response | Response) -> int:
    """The store's revision: the second part of an ETag."""
    return int(response.headers["etag"].strip('"').split("-")[1], 16)


def test_a_list_in_progress_does_not_change(full_store: StoreFixture, writer: httpx.Client) -> None:
    with in_flight_stream(full_store) as slow:
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
def test_each_list_is_a_snapshot_at_the_revision_of_its_etag(
    service: Service, full_store: StoreFixture, writer: httpx.Client
) -> None:
    stop = threading.Event()

    def write() -> None:
        for number in range(1, COUNT):
            assert writer.delete(f"/plants/{number}").status_code == 204
            create_plant(writer, COUNT + number, "new")
            if stop.is_set():
                return

    thread = threading.Thread(target=write)
    thread.start()
    listed: list[httpx.Response] = []
    try:
        with service.client(full_store.token) as reader:
            while len({response.headers["etag"] for response in listed}) < 5:
                listed.append(reader.get("/plants?include=id"))
    finally:
        stop.set()
        thread.join()
    revisions = [revision_of(response) for response in listed]
    assert revisions == sorted(revisions)
    for response, revision in zip(listed, revisions, strict=True):
        deleted, created = revision // 2, (revision - 1) // 2
        ids = [plant["id"] for plant in response.json()]
        assert ids == list(range(1 + deleted, 1 + COUNT + created))


@ON_BOTH
def test_a_long_list_uses_little_memory(start: StartService) -> None:
    own = start()
    fixture = make_fixture(own)
    fill_store(own, fixture.store, 60_000, size=250)
    with own.client(fixture.token) as client:
        client.get("/plants?limit=2000").raise_for_status()
        with memory_grows_at_most(own, 10_000_000), client.stream("GET", "/plants") as streamed:
            assert sum(len(part) for part in streamed.iter_bytes()) > 15_000_000


def test_a_list_that_its_client_does_not_read_is_aborted(start: StartService) -> None:
    own = start(body_timeout=0.5, max_streams=1)
    fixture = make_fixture(own)
    fill_store(own, fixture.store, 40_000, size=250)
    head = fixture.message(LISTS[1])
    with in_flight_stream(fixture) as slow:
        wait_until(lambda: fixture.send(head).status == 200)
        with suppress(ConnectionResetError):  # the unread bytes may be lost
            # Without the last chunk, the client can see that the list is incomplete.
            assert not slow.read_to_end().endswith(b"]\r\n0\r\n\r\n")


def test_an_http_1_0_client_gets_a_long_list_without_chunks(full_store: StoreFixture) -> None:
    response = full_store.send(replace(full_store.message(LISTS[0]), version="HTTP/1.0"))
    assert "transfer-encoding" not in response.headers  # HTTP/1.0 knows no chunks
    assert response.closes
    assert len(json.loads(response.body)) == COUNT
