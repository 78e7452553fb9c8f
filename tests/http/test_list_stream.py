"""Long lists: whole, of one moment, in little memory, whatever their client does meanwhile."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.administration import Event
from tests.databases import ON_BOTH
from tests.http.blocking import FILLER, fill_store, in_flight_stream, peak_memory
from tests.http.calls import create_plant
from tests.http.fixtures import LISTS, StoreFixture, make_fixture
from tests.http.raw import Connection, Message
from tests.service import Service
from tests.waiting import wait_until

COUNT = 5000
SIZE = 250


@pytest.fixture
def full(service: Service) -> StoreFixture:
    """A store that has 5000 plants with long names: 5 MB."""
    fixture = make_fixture(service)
    fill_store(service, fixture.store, COUNT, SIZE, FILLER)
    return fixture


@pytest.fixture
def writer(service: Service, full: StoreFixture) -> Iterator[httpx.Client]:
    """Another client of that store."""
    with service.client(full.token) as client:
        yield client


def replay(before: set[int], events: Sequence[Event], revision: int) -> list[int]:
    """The ids at a revision, made from those before by what happened to them."""
    ids = set(before)
    for event in events:
        if event.revision <= revision:
            change = ids.add if event.kind == "plant.created" else ids.remove
            change(event.plant.id)
    return sorted(ids)


def revision_of(etag: str) -> int:
    """The store's revision, which an ETag has between the store and the query."""
    return int(etag.strip('"').split("-")[1], 16)


def test_without_a_limit_all_plants_come(writer: httpx.Client) -> None:
    listed = writer.get("/plants?include=id").raise_for_status()
    assert [plant["id"] for plant in listed.json()] == list(range(1, COUNT + 1))
    assert all(len(plant["name"]) == SIZE for plant in listed.json())
    assert "link" not in listed.headers


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
    assert revision_of(fresh.headers["etag"]) == revision_of(streamed.headers["etag"]) + 6
    assert [plant["id"] for plant in fresh.json()] == [0, *range(3, COUNT - 1), COUNT + 1]


def list_at_revisions(service: Service, token: str, count: int) -> list[httpx.Response]:
    """Lists, one after the other, of as many different revisions."""
    listed: list[httpx.Response] = []

    def has_seen_all() -> bool:
        listed.append(reader.get("/plants?include=id"))
        return len({answer.headers["etag"] for answer in listed}) >= count

    with service.client(token) as reader:
        wait_until(has_seen_all, pause=0)
    return listed


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
    try:
        listed = list_at_revisions(service, full.token, 5)
    finally:
        enough.set()
        thread.join()
    events = [event for event in service.events(full.store) if event.revision > 1]
    revisions = [revision_of(answer.headers["etag"]) for answer in listed]
    assert revisions == sorted(revisions)
    for answer, revision in zip(listed, revisions, strict=True):
        ids = [plant["id"] for plant in answer.json()]
        assert ids == replay(set(range(1, COUNT + 1)), events, revision)


@ON_BOTH
def test_a_long_list_takes_little_memory(tmp_path: Path, url: str) -> None:
    with Service(tmp_path, database=url) as own:
        fixture = make_fixture(own)
        fill_store(own, fixture.store, 60_000, size=250)
        with own.client(fixture.token) as client:
            client.get("/plants?limit=2000").raise_for_status()
            before = peak_memory(own)
            with client.stream("GET", "/plants") as streamed:
                size = sum(len(part) for part in streamed.iter_bytes())
            assert size > 15_000_000
            assert peak_memory(own) - before < 10_000_000


def test_a_client_that_takes_a_list_too_slowly_is_given_up(tmp_path: Path, url: str) -> None:
    settings = {"body_timeout": 0.5, "max_streams": 1}
    with Service(tmp_path, database=url, settings=settings) as own:
        fixture = make_fixture(own)
        fill_store(own, fixture.store, 40_000, size=250)
        head = Message("HEAD", "/plants", fixture.message(LISTS[0]).headers)
        with in_flight_stream(fixture) as slow:
            wait_until(lambda: fixture.send(head).status == 200)
            with suppress(ConnectionResetError):  # what its client has not taken yet may be gone
                # It ends without its end, so that nobody takes it for the whole list.
                assert not slow.read_to_end().endswith(b"]\r\n0\r\n\r\n")


def test_an_old_client_gets_a_long_list_as_it_can_read_it(
    full: StoreFixture, service: Service
) -> None:
    message = full.message(LISTS[0])
    old = Message("GET", message.target, message.headers, version="HTTP/1.0")
    with Connection(service.origin) as connection:
        answer = connection.ask(old)
        assert "transfer-encoding" not in answer.headers  # HTTP/1.0 knows no chunks
        assert answer.closes
        assert len(json.loads(answer.body)) == COUNT
