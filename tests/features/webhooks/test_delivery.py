"""Each change is told, signed, at least once, and in the order of its plant's changes."""

import threading
from collections import Counter
from datetime import datetime
from functools import partial
from pathlib import Path

import httpx
import pytest
from standardwebhooks import WebhookVerificationError

from plantstore.core.clock import write_time
from tests.databases import ON_BOTH, Kind, execute
from tests.features.access.http.access_calls import managing
from tests.features.webhooks.conftest import DELIVERY, SETTINGS
from tests.features.webhooks.receiver import (
    OK,
    Received,
    Receiver,
    Response,
    create_webhook,
    find_webhook,
    wait_until_delivered,
)
from tests.http.calls import create_plant
from tests.service import Service
from tests.waiting import wait_until


@ON_BOTH
def test_each_change_is_told_with_a_signature(
    service: Service, manager: httpx.Client, store: str, receiver: Receiver
) -> None:
    create_plant(manager, 1, "Before")
    made = create_webhook(manager, receiver.url)
    create_plant(manager, -7, "Fern ‘é’", "herb")
    manager.put("/plants/-7", json={"name": "Moss"}).raise_for_status()
    manager.delete("/plants/-7").raise_for_status()
    told = receiver.wait_for(3)
    for message in told:
        message.verify(made["secret"])
        with pytest.raises(WebhookVerificationError):
            message.verify("whsec_" + "A" * 44)
    by = f"owner of {store}"
    plant = {"store": store, "id": -7, "id_text": "-7", "by": by}
    fern: dict[str, object] = {"name": "Fern ‘é’", "tag": "herb"}
    moss: dict[str, object] = {"name": "Moss"}
    changes = [fern, moss | {"previous": fern}, moss]
    events = service.events(store)[-3:]
    assert [message.content for message in told] == [
        {
            "type": event.kind,
            "timestamp": write_time(event.at),
            "data": {**plant, "revision": event.revision, **contents},
        }
        for event, contents in zip(events, changes, strict=True)
    ]
    assert len({message.id for message in told}) == 3


def test_a_webhook_is_told_what_it_asks_for(manager: httpx.Client, receiver: Receiver) -> None:
    deletions = {"events": ["plant.deleted"], "tag": "herb"}
    made = create_webhook(manager, receiver.url, **deletions)
    for plant_id, tag in enumerate(("herb", "bed 3", None, "herb")):
        create_plant(manager, plant_id, "Fern", tag)
    for plant_id in range(4):
        manager.delete(f"/plants/{plant_id}").raise_for_status()
    told = [message.content for message in receiver.wait_for(2)]
    assert {(one["type"], one["data"]["id"]) for one in told} == {
        ("plant.deleted", 0),
        ("plant.deleted", 3),
    }
    wait_until_delivered(manager, made["id"])
    assert len(receiver.messages) == 2


@ON_BOTH
def test_what_is_refused_is_sent_again_in_the_order_of_its_plant(
    manager: httpx.Client, receiver: Receiver
) -> None:
    seen: Counter[str] = Counter()

    def refuse_twice(message: Received) -> Response:
        seen[message.id] += 1
        return OK if seen[message.id] > 2 else (500, {}, b"not now")

    receiver.respond = refuse_twice
    made = create_webhook(manager, receiver.url)
    for plant_id in range(10):
        create_plant(manager, plant_id, "Fern")
        manager.put(f"/plants/{plant_id}", json={"name": "Moss"}).raise_for_status()
    wait_until_delivered(manager, made["id"])
    assert set(seen.values()) == {3}
    for plant_id in range(10):
        of_plant = [one.data for one in receiver.messages if one.data["id"] == plant_id]
        assert [one["name"] for one in of_plant] == ["Fern"] * 3 + ["Moss"] * 3
    attempts = manager.get(f"/webhooks/{made['id']}/deliveries").json()
    assert len(attempts) == 60
    for one in attempts:
        assert (one["status"], one["response"]) in {(200, "ok"), (500, "not now")}
        assert ("next_at" in one) is (one["status"] == 500)


def test_a_plant_waits_for_its_own_changes_alone(manager: httpx.Client, receiver: Receiver) -> None:
    blocked = threading.Event()

    def block_one(message: Received) -> Response:
        if message.data["id"] == 1:
            blocked.wait()
        return OK

    receiver.respond = block_one
    made = create_webhook(manager, receiver.url)
    for plant_id in (1, 2):
        create_plant(manager, plant_id, "Fern")
        manager.put(f"/plants/{plant_id}", json={"name": "Moss"}).raise_for_status()
    told = receiver.wait_for(3)
    assert sorted((one.data["id"], one.data["name"]) for one in told) == [
        (1, "Fern"),
        (2, "Fern"),
        (2, "Moss"),
    ]
    assert find_webhook(manager, made["id"])["delivered"] == made["revision"]
    blocked.set()
    wait_until_delivered(manager, made["id"])


def test_at_most_eight_are_sent_at_once(manager: httpx.Client, receiver: Receiver) -> None:
    released = threading.Event()

    def block(_: Received) -> Response:
        released.wait()
        return OK

    receiver.respond = block
    made = create_webhook(manager, receiver.url)
    for plant_id in range(20):
        create_plant(manager, plant_id, "Fern")
    receiver.wait_for(8)
    create_webhook(manager, receiver.url.replace("hook", "other"))
    create_plant(manager, 20, "Fern")  # which the other webhook is sent meanwhile
    receiver.wait_for(9)
    assert [one.data["id"] for one in receiver.messages].count(20) == 1
    released.set()
    wait_until_delivered(manager, made["id"])
    assert len(receiver.messages) == 22


def test_a_receiver_that_is_gone_gets_nothing_more_until_it_is_resumed(
    manager: httpx.Client, receiver: Receiver
) -> None:
    receiver.respond = lambda _: (410, {}, b"gone")
    made = create_webhook(manager, receiver.url)
    create_plant(manager, 1, "Fern")
    wait_until(lambda: "410" in find_webhook(manager, made["id"]).get("paused", ""))
    create_plant(manager, 2, "Fern")
    receiver.respond = lambda _: OK
    before = len(receiver.messages)
    assert before == 1
    body = {"url": receiver.url, "description": "back"}
    resumed = manager.put(f"/webhooks/{made['id']}", json=body).raise_for_status().json()
    assert "paused" not in resumed
    wait_until_delivered(manager, made["id"])
    assert sorted(one.data["id"] for one in receiver.messages) == [1, 1, 2]


@ON_BOTH
def test_after_five_days_without_a_success_it_is_paused(
    service: Service, manager: httpx.Client, receiver: Receiver
) -> None:
    receiver.respond = lambda _: (503, {}, b"")
    made = create_webhook(manager, receiver.url)
    create_plant(manager, 1, "Fern")
    wait_until(lambda: "failing_since" in find_webhook(manager, made["id"]))
    changed = "failing_since = failing_since - 432000000, progress = progress || ' '"
    execute(service.database, f"UPDATE webhooks SET {changed} WHERE webhook_id = '{made['id']}'")
    reason = "no message was accepted for 5 days; the last response was 503"
    wait_until(lambda: find_webhook(manager, made["id"]).get("paused") == reason)
    assert f'reason="{reason}"' in service.log()


def test_a_receiver_says_when_to_send_again(manager: httpx.Client, receiver: Receiver) -> None:
    receiver.respond = lambda _: (429, {"Retry-After": "3600"}, b"")
    made = create_webhook(manager, receiver.url)
    create_plant(manager, 1, "Fern")
    receiver.wait_for(1)
    log = f"/webhooks/{made['id']}/deliveries"
    wait_until(lambda: manager.get(log).json())
    (attempt,) = manager.get(log).json()
    times = [datetime.fromisoformat(attempt[name]) for name in ("at", "next_at")]
    assert (times[1] - times[0]).total_seconds() == pytest.approx(3600, abs=60)
    create_plant(manager, 2, "Fern")
    receiver.respond = lambda _: OK
    body = {"url": receiver.url}
    manager.put(f"/webhooks/{made['id']}", json={**body, "paused": True}).raise_for_status()
    manager.put(f"/webhooks/{made['id']}", json=body).raise_for_status()


@ON_BOTH
def test_a_new_process_and_an_owner_who_resumes_retry_at_once(
    database_kind: Kind, tmp_path: Path, receiver: Receiver
) -> None:
    receiver.respond = lambda _: (500, {}, b"")
    settings = {**SETTINGS, f"{DELIVERY}._RETRIES": (0.1, 3600)}

    def has_logged(client: httpx.Client, count: int) -> bool:
        return len(client.get(f"/webhooks/{made['id']}/deliveries").json()) == count

    with database_kind.fresh(tmp_path) as url:
        start = partial(Service, tmp_path, database=url, settings=settings)
        with start() as service, managing(service, "nursery") as client:
            made = create_webhook(client, receiver.url)
            create_plant(client, 1, "Fern")
            wait_until(lambda: has_logged(client, 2))
        with start() as service, managing(service, "nursery") as client:
            create_plant(client, 2, "Moss")
            wait_until(lambda: has_logged(client, 6))
            assert sorted(one.data["id"] for one in receiver.messages) == [1, 1, 1, 1, 2, 2]
            receiver.respond = lambda _: OK
            client.put(f"/webhooks/{made['id']}", json={"url": receiver.url}).raise_for_status()
            wait_until_delivered(client, made["id"])


def test_what_is_never_accepted_keeps_only_its_plant_waiting(
    database_kind: Kind, tmp_path: Path, receiver: Receiver
) -> None:
    receiver.respond = lambda message: (500, {}, b"") if message.data["id"] == 1 else OK
    settings = {**SETTINGS, f"{DELIVERY}._RETRIES": (0.1, 3600)}

    def list_told() -> list[int]:
        return [one.data["id"] for one in receiver.messages]

    with database_kind.fresh(tmp_path) as url:
        start = partial(Service, tmp_path, database=url, settings=settings)
        with start() as service, managing(service, "nursery") as client:
            made = create_webhook(client, receiver.url)
            create_plant(client, 1, "Fern")
            client.put("/plants/1", json={"name": "Moss"}).raise_for_status()
            create_plant(client, 2, "Fern")
            log = f"/webhooks/{made['id']}/deliveries"
            wait_until(lambda: len(client.get(log).json()) == 3)
        assert sorted(list_told()) == [1, 1, 2]
        with start() as service, managing(service, "nursery") as client:
            create_plant(client, 3, "Fern")
            wait_until(lambda: len(client.get(log).json()) == 6)
            assert sorted(list_told()[3:]) == [1, 1, 3]
            webhook = find_webhook(client, made["id"])
            assert (webhook["delivered"], webhook["revision"]) == (
                made["revision"],
                made["revision"] + 4,
            )
            create_plant(client, 4, "Fern")  # accepted, so the webhook is not failing
            wait_until(lambda: len(client.get(log).json()) == 7)
            receiver.respond = lambda _: OK
            client.put(f"/webhooks/{made['id']}", json={"url": receiver.url}).raise_for_status()
            wait_until_delivered(client, made["id"])
            assert [one.data["name"] for one in receiver.messages[7:]] == ["Fern", "Moss"]


def test_a_receiver_that_refuses_eight_messages_gets_no_other(
    database_kind: Kind, tmp_path: Path, receiver: Receiver
) -> None:
    receiver.respond = lambda _: (500, {}, b"")
    settings = {**SETTINGS, f"{DELIVERY}._RETRIES": (1, 3600)}
    with (
        database_kind.fresh(tmp_path) as url,
        Service(tmp_path, database=url, settings=settings) as service,
        managing(service, "nursery") as client,
        Receiver() as other,
    ):
        made = create_webhook(client, receiver.url)
        for plant_id in range(12):
            create_plant(client, plant_id, "Fern")
        receiver.wait_for(16)
        create_webhook(client, other.url)
        create_plant(client, 12, "Fern")
        other.wait_for(1)
        attempts = Counter(message.data["id"] for message in receiver.messages)
        assert attempts == dict.fromkeys(range(8), 2)
        receiver.respond = lambda _: OK
        client.put(f"/webhooks/{made['id']}", json={"url": receiver.url}).raise_for_status()
        wait_until_delivered(client, made["id"])
        assert len(receiver.messages) == 16 + 13


@ON_BOTH
def test_trimmed_events_are_said_to_be_missing(
    service: Service, manager: httpx.Client, store: str, receiver: Receiver
) -> None:
    made = create_webhook(manager, receiver.url, paused=False)
    body = {"url": receiver.url, "paused": True}
    manager.put(f"/webhooks/{made['id']}", json=body).raise_for_status()
    for plant_id in range(5):
        create_plant(manager, plant_id, "Fern")
    first = made["revision"]
    table = "DELETE FROM events WHERE revision <= $1 AND store_id ="
    execute(
        service.database,
        f"{table} (SELECT store_id FROM stores WHERE name = '{store}')",
        [(first + 3,)],
    )
    manager.put(f"/webhooks/{made['id']}", json={"url": receiver.url}).raise_for_status()
    wait_until_delivered(manager, made["id"])
    gap, *told = sorted(receiver.messages, key=lambda one: one.data["revision"])
    assert gap.content["type"] == "store.resync"
    assert gap.data == {"store": store, "revision": first + 3}
    assert [one.data["revision"] for one in told] == [first + 4, first + 5]


@ON_BOTH
def test_progress_of_another_version_begins_again_at_what_was_delivered(
    service: Service, manager: httpx.Client, receiver: Receiver
) -> None:
    receiver.respond = lambda _: (500, {}, b"")
    made = create_webhook(manager, receiver.url)
    create_plant(manager, 1, "Fern")
    receiver.wait_for(1)
    receiver.respond = lambda _: OK
    triples = f"[{made['revision'] + 1},[[{made['revision'] + 1},1,1900000000000]]]"
    change = f"UPDATE webhooks SET progress = '{triples}' WHERE webhook_id = '{made['id']}'"
    execute(service.database, change)
    wait_until_delivered(manager, made["id"])
