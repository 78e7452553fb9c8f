"""The events of a store as JSON: pages by revision, with the author for owners only."""

import re
from datetime import datetime

import httpx
import pytest

from plantstore.core.model import Role
from tests.databases import execute
from tests.http.calls import create_plant, expect_refused
from tests.plants import FULL_JSON
from tests.service import Service

NUMBERS = {41001}  # the errors that this module provokes; ``test_every_error`` collects them


def trim(service: Service, store: str, revision: int) -> None:
    """Trim the store's events up to a revision, as the service does with old ones."""
    store_id = "(SELECT store_id FROM stores WHERE name = $2)"
    rows = [(revision, store)]
    for sql in (
        f"UPDATE revisions SET trimmed = $1 WHERE store_id = {store_id}",
        f"DELETE FROM events WHERE revision <= $1 AND store_id = {store_id}",
    ):
        execute(service.database, sql, rows)


def test_an_event_has_its_change_time_and_author(
    client: httpx.Client, service: Service, store: str
) -> None:
    fern = FULL_JSON | {"id": 2**63 - 1}
    assert client.post("/plants", json=fern).status_code == 200
    create_plant(client, 2, "Aloe")
    assert client.delete(f"/plants/{2**63 - 1}").status_code == 204
    response = client.get("/events")
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "private, no-cache"
    stored = service.events(store)
    events = response.json()
    assert [event["revision"] for event in events] == [1, 2, 3]
    assert [event["kind"] for event in events] == ["plant.created"] * 2 + ["plant.deleted"]
    assert [event["plant"] for event in events] == [fern, {"id": 2, "name": "Aloe"}, fern]
    for event, record in zip(events, stored, strict=True):
        assert datetime.fromisoformat(event["at"]).timestamp() * 1000 == record.at
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event["at"])
        assert event["user"] == f"owner-of-{store}"
        assert event["token_id"] == record.token_id
    assert client.get(f"/stores/{store}/events").json() == events


def test_a_page_has_a_hundred_events_by_default(client: httpx.Client) -> None:
    for number in range(102):
        create_plant(client, number, "Fern")
    assert len(client.get("/events").json()) == 100
    assert len(client.get("/events?limit=101").json()) == 101
    assert len(client.get("/events?limit=1000").json()) == 102


def test_an_unchanged_page_is_not_sent_again(client: httpx.Client) -> None:
    create_plant(client, 1, "Fern")
    etag = client.get("/events").headers["etag"]
    again = client.get("/events", headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == client.head("/events").headers["etag"] == etag
    first = client.get("/events?limit=1")
    create_plant(client, 2, "Aloe")
    assert client.get("/events", headers={"If-None-Match": etag}).status_code == 200
    # The page's own events are the same, but now others follow.
    known = {"If-None-Match": first.headers["etag"]}
    assert client.get("/events?limit=1", headers=known).links["next"]


def test_renaming_or_deleting_a_user_changes_the_etag(
    client: httpx.Client, service: Service, store: str
) -> None:
    create_plant(client, 1, "Fern")
    owner = f"owner-of-{store}"
    known = {"If-None-Match": client.get("/events").headers["etag"]}
    execute(service.database, "UPDATE users SET subject = $1 WHERE subject = $2", [(store, owner)])
    renamed = client.get("/events", headers=known)
    assert [event["user"] for event in renamed.json()] == [store]
    known = {"If-None-Match": renamed.headers["etag"]}
    deleted = f"(SELECT user_id FROM users WHERE subject = '{store}')"
    execute(service.database, f"UPDATE events SET user_id = -1 WHERE user_id = {deleted}")
    with service.client(service.make_token(store, "ida", role=Role.OWNER)) as other:
        (event,) = other.get("/events", headers=known).json()
    assert "user" not in event


def test_an_etag_is_not_valid_for_another_role_or_store(
    client: httpx.Client, service: Service, store: str
) -> None:
    """A reader sees less than an owner, and the path is the same for two stores."""
    create_plant(client, 1, "Fern")
    known = {"If-None-Match": client.get("/events").headers["etag"]}
    reader = service.make_token(store, f"r-{store}", role=Role.READER)
    other = service.make_token(f"{store}-other", f"owner-of-{store}")
    for token in (reader, other):
        with service.client(token) as member:
            if token is other:
                create_plant(member, 1, "Aloe")
            assert member.get("/events", headers=known).status_code == 200


def test_trimmed_events_are_gone(service: Service, client: httpx.Client, store: str) -> None:
    for number in range(1, 6):
        create_plant(client, number, "Fern")
    trim(service, store, 3)
    for after in (0, 2):
        assert str(after) in expect_refused(client.get(f"/events?after={after}"), 41001)
    assert [event["revision"] for event in client.get("/events?after=3").json()] == [4, 5]
    assert [event["revision"] for event in client.get("/events").json()] == [4, 5]
    trim(service, store, 5)
    assert client.get("/events").json() == client.get("/events?after=5").json() == []
    # The store has not reached this revision: a client that has it saw another history.
    expect_refused(client.get("/events?after=6"), 41001)
    head = client.head("/events?after=2")
    assert (head.status_code, head.content) == (410, b"")


def test_every_page_has_the_stores_revision(client: httpx.Client) -> None:
    for number in range(3):
        create_plant(client, number, "Fern")
    for method, query in (("GET", "after=0&limit=1"), ("HEAD", "after=0"), ("GET", "")):
        response = client.request(method, f"/events?{query}")
        known = {"If-None-Match": response.headers["etag"]}
        unchanged = client.request(method, f"/events?{query}", headers=known)
        assert unchanged.status_code == 304
        assert response.headers["store-revision"] == unchanged.headers["store-revision"] == "3"
    latest = client.get("/events?after=latest")
    assert (latest.json(), latest.headers["store-revision"]) == ([], "3")
    assert "link" not in latest.headers


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("limit=0", 40005),
        ("limit=", 40005),
        ("limit=1&limit=1", 40005),
        ("after=", 40006),
        ("after=latest&after=latest", 40006),
        ("after=01", 40006),
        (f"after={2**53}", 40006),
    ],
)
def test_invalid_parameters_are_refused(client: httpx.Client, query: str, number: int) -> None:
    expect_refused(client.get(f"/events?{query}"), number)
    streamed = client.get(f"/events?{query}", headers={"Accept": "text/event-stream"})
    expect_refused(streamed, number)
    assert client.get("/events?colour=green").json() == []
