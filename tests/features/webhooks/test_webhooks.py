"""Webhooks as owners make, change, test and delete them, over HTTP and by commands."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest

from plantstore.core.model import Scope
from tests.cli.program import Program
from tests.databases import ON_BOTH, execute
from tests.features.access.http.access_calls import ALL, managing
from tests.features.webhooks.conftest import SETTINGS
from tests.features.webhooks.receiver import (
    OK,
    Received,
    Receiver,
    Response,
    create_webhook,
    find_webhook,
    wait_until_delivered,
)
from tests.http.calls import create_plant, expect_refused
from tests.service import Service
from tests.waiting import wait_until

NUMBERS = {40409}  # what this module provokes; ``test_every_error`` adds them up


@ON_BOTH
def test_a_webhook_is_kept_as_it_was_asked_for(manager: httpx.Client) -> None:
    asked = {"events": ["plant.deleted"], "tag": "", "description": "the till"}
    made = create_webhook(manager, "https://plants.invalid/hook?a=b", **asked)
    secret, revision = made.pop("secret"), made.pop("revision")
    assert secret.startswith("whsec_")
    assert made.pop("delivered") == revision
    assert {name: made[name] for name in asked} == asked
    assert manager.get("/webhooks").json() == [find_webhook(manager, made["id"])]
    assert create_webhook(manager, "https://plants.invalid", paused=True)["paused"]
    changed = {"url": "https://plants.invalid/other", "paused": True}
    answer = manager.put(f"/webhooks/{made['id']}", json=changed).raise_for_status().json()
    assert answer["events"] == ["plant.created", "plant.updated", "plant.deleted"]
    assert answer["paused"] == "paused by an owner"
    assert "tag" not in answer
    assert "secret" not in answer
    assert manager.delete(f"/webhooks/{made['id']}").status_code == 204
    expect_refused(manager.get(f"/webhooks/{made['id']}"), 40408)
    expect_refused(manager.delete(f"/webhooks/{made['id']}"), 40408)


def test_a_store_has_at_most_twenty(manager: httpx.Client) -> None:
    for _ in range(20):
        create_webhook(manager, "https://plants.invalid")
    body = {"url": "https://plants.invalid"}
    assert "webhooks" in expect_refused(manager.post("/webhooks", json=body), 40303)


def test_another_store_does_not_see_it(service: Service, manager: httpx.Client, store: str) -> None:
    made = create_webhook(manager, "https://plants.invalid")
    with managing(service, f"{store}-other") as other:
        assert other.get("/webhooks").json() == []
        for path in ("", "/deliveries"):
            expect_refused(other.get(f"/webhooks/{made['id']}{path}"), 40408)
        for path in ("rotate", "test", "deliveries/1/redeliver"):
            expect_refused(other.post(f"/webhooks/{made['id']}/{path}"), 40408)


@ON_BOTH
def test_an_id_with_a_nul_is_unknown(service: Service, manager: httpx.Client) -> None:
    for path in ("", "/deliveries"):
        expect_refused(manager.get(f"/webhooks/%00{path}"), 40408)
    expect_refused(manager.post("/webhooks/a%00/rotate"), 40408)
    with service.client(None) as client:
        assert client.get("/readyz").status_code == 200


def test_who_may_not_list_plants_gets_none_by_a_webhook(
    service: Service, manager: httpx.Client, store: str
) -> None:
    made, body = create_webhook(manager, "https://plants.invalid"), {"url": "https://mine.invalid"}
    with managing(service, store, scopes=ALL - {Scope.LIST}) as client:
        refused = (
            client.post("/webhooks", json=body),
            client.put(f"/webhooks/{made['id']}", json=body),
        )
        for response in refused:
            assert "scope list" in expect_refused(response, 40301)
        assert client.delete(f"/webhooks/{made['id']}").status_code == 204


@ON_BOTH
def test_a_test_tells_what_came_back(manager: httpx.Client, receiver: Receiver) -> None:
    made = create_webhook(manager, receiver.url)
    receiver.respond = lambda _: (418, {}, b"\x00\xff\x1b[2J\n" + b"x" * 2000)
    sent = manager.post(f"/webhooks/{made['id']}/test").raise_for_status().json()
    (message,) = receiver.messages
    message.verify(made["secret"])
    assert message.content["type"] == sent["type"] == "webhook.test"
    assert sent["status"] == 418
    assert sent["response"] == " \ufffd [2J " + "x" * 993
    assert manager.get(f"/webhooks/{made['id']}/deliveries").json() == [sent]
    again = f"/webhooks/{made['id']}/deliveries/{sent['number']}/redeliver"
    assert manager.post(again).raise_for_status().json()["status"] == 418


@ON_BOTH
def test_a_message_is_sent_again_with_its_id(
    service: Service, manager: httpx.Client, receiver: Receiver
) -> None:
    made = create_webhook(manager, receiver.url)
    create_plant(manager, 1, "Fern")
    wait_until_delivered(manager, made["id"])
    log = f"/webhooks/{made['id']}/deliveries"
    wait_until(lambda: manager.get(log).json())
    (sent,) = manager.get(log).json()
    again = f"{log}/{sent['number']}/redeliver"
    assert manager.post(again).raise_for_status().json()["status"] == 200
    first, second = receiver.messages
    assert (first.id, first.body) == (second.id, second.body)
    expect_refused(manager.post(f"{log}/1/redeliver"), 40409)
    execute(service.database, "DELETE FROM events")
    expect_refused(manager.post(again), 41001)


@ON_BOTH
def test_a_new_secret_signs_beside_the_old_one_for_a_day(
    service: Service, manager: httpx.Client, receiver: Receiver
) -> None:
    made = create_webhook(manager, receiver.url)
    path = f"/webhooks/{made['id']}"
    new = manager.post(f"{path}/rotate").raise_for_status().json()["secret"]
    manager.post(f"{path}/test").raise_for_status()
    for secret in (made["secret"], new):
        receiver.messages[-1].verify(secret)
    execute(service.database, "UPDATE webhooks SET rotated_at = rotated_at - 86400001")
    manager.post(f"{path}/test").raise_for_status()
    receiver.messages[-1].verify(new)
    assert " " not in receiver.messages[-1].headers["webhook-signature"]


def test_with_a_key_no_secret_is_stored(tmp_path: Path, receiver: Receiver) -> None:
    settings = {**SETTINGS, "webhook_key": "k" * 32}
    with Service(tmp_path, settings=settings) as service, managing(service, "nursery") as client:
        made = create_webhook(client, receiver.url)
        create_plant(client, 1, "Fern")
        receiver.wait_for(1)[0].verify(made["secret"])
        secret = made["secret"].removeprefix("whsec_").encode()
    with Service(tmp_path, settings=SETTINGS) as service, managing(service, "nursery") as client:
        sent = client.post(f"/webhooks/{made['id']}/test").raise_for_status().json()
        assert "set webhook_key" in sent["response"]
    for file in tmp_path.glob("plants.db*"):
        assert secret not in file.read_bytes()
    assert secret.decode() not in service.log()


@pytest.fixture
def program(tmp_path: Path) -> Program:
    program = Program(tmp_path, {"PLANTSTORE_WEBHOOK_ALLOW_PRIVATE": "true"})
    program.out("store", "create", "nursery")
    return program


def test_commands_do_the_same(program: Program, receiver: Receiver) -> None:
    def run(*words: str) -> Any:  # noqa: ANN401 - JSON
        return program.data("webhook", *words, "--store", "nursery")

    made = run("create", receiver.url, "--event", "plant.created", "--tag", "herb")
    assert run("test", made["id"])["status"] == 200
    receiver.messages[-1].verify(made["secret"])
    assert [one["type"] for one in run("show", made["id"])] == ["webhook.test"]
    run("pause", made["id"])
    run("pause", made["id"])  # which changes nothing
    actions = [change["action"] for change in program.data("audit", "list")]
    assert actions.count("webhook pause") == 1
    (listed,) = run("list")
    assert listed["paused"] == "paused by the command line"
    run("resume", made["id"])
    assert run("list")[0]["paused"] is None
    assert run("rotate", made["id"])["secret"] != made["secret"]
    run("delete", made["id"])
    assert run("list") == []
    wrong = ("webhook", "delete", made["id"], "--store", "nursery")
    assert "has no webhook" in program.refusal(*wrong)


def test_a_store_begins_ten_tests_in_a_second(manager: httpx.Client, receiver: Receiver) -> None:
    path, began = f"/webhooks/{create_webhook(manager, receiver.url)['id']}/test", time.monotonic()
    with ThreadPoolExecutor(4) as pool:
        responses = list(pool.map(manager.post, 4 * [path]))
    assert [response.status_code for response in responses] == 4 * [200]
    assert time.monotonic() - began >= 4 * 0.1


def test_tests_that_wait_for_a_response_keep_no_connection_to_the_database(
    service: Service, manager: httpx.Client, receiver: Receiver
) -> None:
    path, responds = f"/webhooks/{create_webhook(manager, receiver.url)['id']}/test", Event()

    def respond(_: Received) -> Response:
        responds.wait(30)
        return OK

    def count_connections() -> int:
        files = Path(f"/proc/{service.process.pid}/fd").iterdir()
        return sum(os.path.realpath(file).endswith(".db") for file in files)

    receiver.respond, before = respond, count_connections()
    with ThreadPoolExecutor(4) as pool:
        responses = pool.map(manager.post, 4 * [path])
        receiver.wait_for(4)
        assert count_connections() <= before + 1
        responds.set()
    assert [response.status_code for response in responses] == 4 * [200]
