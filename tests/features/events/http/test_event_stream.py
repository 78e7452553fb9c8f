"""Server-sent events: each once and in order, as long as the listener has access."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from plantstore.core.clock import now
from plantstore.core.model import Role
from tests.databases import ON_BOTH, execute
from tests.features.events.http.event_stream import Events, EventStream
from tests.features.events.http.test_events import trim
from tests.http.calls import create_plant, expect_refused
from tests.http.expect import expect_error
from tests.http.raw import Connection, Message
from tests.service import Service
from tests.waiting import wait_until

MESSAGE = Message("GET", "/events").with_header("Accept", "text/event-stream")


@pytest.fixture
def stream(service: Service, token: str) -> Iterator[EventStream]:
    with EventStream(service.origin, token) as stream:
        yield stream


def revisions(events: Events) -> list[int]:
    return [event["revision"] for event in events]


@ON_BOTH
def test_events_are_streamed_as_they_happen(client: httpx.Client, stream: EventStream) -> None:
    headers = stream.head.headers
    assert headers["content-type"] == "text/event-stream"
    assert headers["cache-control"] == "no-store"
    assert headers["vary"] == "Accept, Authorization"
    assert headers["x-accel-buffering"] == "no"
    first = next(stream.blocks())
    assert first["id"] == "0"
    assert 1000 <= int(first["retry"]) <= 3000
    create_plant(client, 1, "Fern", "shade")
    (event,) = stream.take(1)
    assert [event] == client.get("/events").json()
    client.delete("/plants/1")
    assert stream.take(1)[0]["kind"] == "plant.deleted"
    assert stream.last_id == "2"


@ON_BOTH
def test_include_id_text_adds_ids_as_text(
    client: httpx.Client, service: Service, stream: EventStream, token: str
) -> None:
    with EventStream(service.origin, token, "/events?include=id_text") as text_stream:
        for plant_id in (2**53 + 1, -7):
            create_plant(client, plant_id, "Fern")
        plain, texts = stream.take(2), text_stream.take(2)
    plants = [event["plant"] | {"id_text": str(event["plant"]["id"])} for event in plain]
    assert texts == [event | {"plant": plant} for event, plant in zip(plain, plants, strict=True)]
    listed = client.get("/events?include=id_text")
    assert (listed.json(), client.get("/events").json()) == (texts, plain)
    known = {"If-None-Match": listed.headers["etag"]}
    assert client.get("/events?include=id_text", headers=known).status_code == 304
    assert client.get("/events", headers=known).status_code == 200
    link = client.get("/events?include=id_text&limit=1").links["next"]["url"]
    assert client.get(f"/events{link}").json() == texts[1:]


def test_a_stream_resumes_after_a_revision(
    client: httpx.Client, service: Service, token: str
) -> None:
    for number in range(1, 251):  # more than one read returns
        create_plant(client, number, "Fern")
    everything = client.get("/events?limit=1000").json()
    with EventStream(service.origin, token, "/events?after=0") as stream:
        assert stream.take(250) == everything
        create_plant(client, 251, "Aloe")
        assert revisions(stream.take(1)) == [251]
    with EventStream(service.origin, token, "/events?after=7", last_id="248") as stream:
        assert revisions(stream.take(3)) == [249, 250, 251]


def test_a_stream_has_only_the_events_of_its_store(
    service: Service, client: httpx.Client, stream: EventStream, store: str
) -> None:
    with service.client(service.make_token(f"{store}-other", "eve")) as other:
        for number in range(5):
            create_plant(other, number, "Secret")
    create_plant(client, 1, "Fern")
    assert stream.take(1)[0]["plant"]["name"] == "Fern"


def test_authors_are_shown_while_the_listener_is_an_owner(
    service: Service, client: httpx.Client, store: str
) -> None:
    subject = f"second of {store}"
    token = service.make_token(store, subject, role=Role.READER)
    with EventStream(service.origin, token) as stream:
        create_plant(client, 1, "Fern")
        assert "user" not in stream.take(1)[0]
        service.set_role(store, subject, Role.OWNER)
        wait_until(lambda: shows_author(client, stream), pause=0.1)
        service.set_role(store, subject, Role.READER)
        wait_until(lambda: not shows_author(client, stream), pause=0.1)


def shows_author(client: httpx.Client, stream: EventStream) -> bool:
    plant_id = time.time_ns()
    create_plant(client, plant_id, "Fern")
    return "user" in stream.take(1)[0]


def test_an_invalid_position_is_refused_before_the_stream_starts(
    service: Service, client: httpx.Client, token: str, store: str
) -> None:
    for number in range(1, 4):
        create_plant(client, number, "Fern")
    trim(service, store, 2)
    for last_id, number in (("1", 41001), ("4", 41001), ("seven", 40006)):
        headers = {"Accept": "text/event-stream", "Last-Event-ID": last_id}
        expect_refused(client.get("/events?after=2", headers=headers), number)
    with EventStream(service.origin, token, "/events?after=2") as stream:
        assert revisions(stream.take(1)) == [3]


@pytest.mark.parametrize(
    ("accept", "is_stream"),
    [
        ("*/*", False),
        ("application/json, text/event-stream", False),
        ("text/event-stream;q=0, application/json", False),
        ("text/event-stream;q=0.5, application/json", False),
        ("Text/Event-Stream; charset=utf-8", True),
        ("text/event-stream, application/json;q=0.9", True),
        ("text/event-stream;q=0.5, */*", True),
    ],
)
def test_accept_selects_a_stream_or_json(
    client: httpx.Client, accept: str, *, is_stream: bool
) -> None:
    response = client.head("/events", headers={"Accept": accept})
    expected = "text/event-stream" if is_stream else "application/json"
    assert (response.status_code, response.headers["content-type"]) == (200, expected)


@ON_BOTH
def test_losing_access_ends_the_stream(
    service: Service, client: httpx.Client, stream: EventStream, store: str
) -> None:
    removed_user = f"gone from {store}"
    revoked, removed = service.make_token(store), service.make_token(store, removed_user)
    expiring = service.make_token(store, "ada", expires_at=now() + 3000)
    with ExitStack() as stack:
        streams = [
            stack.enter_context(EventStream(service.origin, token))
            for token in (expiring, revoked, removed)
        ]
        with service.administration() as administration:
            administration.revoke_token(revoked)
            administration.remove_member(store, removed_user)
        for ended in streams:
            assert list(ended.events()) == []
        # The connection still serves requests.
        listing = Message("GET", "/plants").with_header("Authorization", f"Bearer {revoked}")
        expect_error(streams[1].connection.request(listing), 40102)
    create_plant(client, 1, "Fern")
    assert revisions(stream.take(1)) == [1]


def can_listen(service: Service, token: str) -> bool:
    with Connection(service.origin) as connection:
        connection.send(MESSAGE.with_header("Authorization", f"Bearer {token}"))
        return connection.receive_head().status == 200


def test_streams_are_limited_separately_from_requests(tmp_path: Path) -> None:
    with Service(tmp_path, settings={"max_requests": 4, "max_streams": 1}) as service:
        token, other = service.make_token("nursery"), service.make_token("orchard")
        with ExitStack() as stack:
            for _ in range(2):  # a store may use half of the limit
                stack.enter_context(EventStream(service.origin, token))
            with Connection(service.origin) as connection:
                message = MESSAGE.with_header("Authorization", f"Bearer {token}")
                expect_error(connection.request(message), 50301)
            stack.enter_context(EventStream(service.origin, other))
            with service.client(token) as client:
                assert client.get("/plants").json() == []
        wait_until(lambda: can_listen(service, token))


def test_a_listener_that_does_not_read_is_disconnected(tmp_path: Path) -> None:
    """Its stream lasts while its system buffers the bytes; then the body timeout applies."""
    with Service(tmp_path, settings={"body_timeout": 1, "max_requests": 1}) as service:
        token = service.make_token()
        with (
            service.client(token) as client,
            EventStream(service.origin, token, receive_buffer=2048),
        ):
            assert not can_listen(service, token)
            numbers = iter(range(1, 100_000))

            def is_disconnected() -> bool:
                for _ in range(20):
                    create_plant(client, next(numbers), "F" * 256)
                return can_listen(service, token)

            wait_until(is_disconnected, pause=0.1)


def test_unread_streams_of_a_store_leave_room_for_responses_of_others(tmp_path: Path) -> None:
    with Service(tmp_path, settings={"max_unsent_bytes": 2**17}) as service, ExitStack() as stack:
        token, other = service.make_token(), service.make_token("other", "eve")
        fill_events(service.database, 5000)
        for _ in range(20):
            args = (service.origin, token, "/events?after=0")
            stack.enter_context(EventStream(*args, receive_buffer=2048))
        with service.client(other) as client:
            for number in range(20):  # more than 16 KiB
                create_plant(client, number, "F" * 1000)
                assert client.get("/plants").status_code == 200


def test_a_stop_does_not_wait_for_listeners(tmp_path: Path) -> None:
    """Not even for listeners that read nothing."""
    with Service(tmp_path, settings={"drain_timeout": 600, "body_timeout": 600}) as service:
        token = service.make_token()
        fill_events(service.database, 5000)
        with (
            EventStream(service.origin, token) as stream,
            EventStream(service.origin, token, "/events?after=0", receive_buffer=2048) as unread,
        ):
            assert next(stream.blocks())
            assert next(unread.blocks())
            assert service.stop() == 0
            assert list(stream.events()) == []


def fill_events(url: str, count: int) -> None:
    """Insert ``count`` events into the first store, each of more than 1 KB."""
    rows = [(revision, "F" * 1024) for revision in range(1, count + 1)]
    columns = "store_id, revision, kind, plant_id, name, at, user_id, token_label, token_id"
    values = "1, $1, 'plant.created', $1, $2, 0, 1, '', ''"
    execute(url, f"INSERT INTO events ({columns}) VALUES ({values})", rows)
    execute(url, "UPDATE revisions SET revision = $1", [(count,)])
