"""The deliverer in the process of the test, and beside a broken row."""

import asyncio
import re
import signal
import sys
import threading
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import httpx
import pytest

from plantstore.core.clock import now
from plantstore.core.settings import Settings
from plantstore.databases import open_database, open_session
from plantstore.features.webhooks import WebhookSettings, messages
from plantstore.features.webhooks.delivery import Queue
from plantstore.features.webhooks.messages import Message
from plantstore.features.webhooks.routes import add_webhooks
from plantstore.features.webhooks.webhooks import Webhook
from plantstore.http.app import App
from plantstore.sql.administration.records import require_store
from plantstore.sqlite.connection import connect, database_path
from plantstore.sqlite.file_lock import FileLock
from tests.cli.program import Program
from tests.databases import ON_BOTH, execute, writes_held
from tests.features.access.http.access_calls import managing
from tests.features.webhooks.conftest import DELIVERY, SETTINGS
from tests.features.webhooks.receiver import (
    OK,
    Received,
    Receiver,
    Response,
    create_webhook,
    wait_until_delivered,
)
from tests.http.calls import create_in, create_plant
from tests.service import Service
from tests.waiting import wait_until

# They refuse the deliveries of all webhooks but one.
TRIGGER = """
CREATE TRIGGER refuse BEFORE INSERT ON deliveries WHEN new.webhook_id <> '{}'
BEGIN SELECT raise(ABORT, 'refused'); END
"""
CONSTRAINT = "ALTER TABLE deliveries ADD CONSTRAINT refuse CHECK (webhook_id = '{}')"
DROP_TRIGGER = "DROP TRIGGER refuse"
DROP_CONSTRAINT = "ALTER TABLE deliveries DROP CONSTRAINT refuse"


def test_messages_that_are_read_again_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    progress = "[5,[2,4]]"  # events were read up to 5; two were not accepted
    about = ("plant.created", None, "", "", None, None, 0, 1, None, None)
    queue = Queue(Webhook(1, "id", "", *about, progress, 5, "nursery"))  # its name until now
    times = iter([0.0, 0.0, 1.0, 0.0, 0.0])  # there is time to read one of them
    monkeypatch.setattr(
        "plantstore.features.webhooks.delivery.time", SimpleNamespace(monotonic=times.__next__)
    )

    def read(_store_id: int, store: str, _after: int, last: int) -> list[Message]:
        assert store == "orchard"
        return [Message("plant.created", last, 0, b"")]

    renamed = queue.webhook._replace(store="orchard")
    sent = queue.read_next(read, renamed)
    assert [message.revision for message in sent] == [2]
    queue.tasks = dict.fromkeys(sent, cast("asyncio.Task[None]", None))
    assert queue.to_row() == queue.saved
    queue.resumes_at = 2 * now()  # as the receiver demands

    def fail(*_: object) -> list[Message]:
        raise OSError

    assert queue.read_next(fail, renamed) == []
    assert queue.resumes_at > now() + 3_600_000


@pytest.mark.anyio
async def test_a_wait_for_the_database_is_no_failure_of_the_receiver(
    tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "_TIMEOUT", 2.0)
    program = Program(tmp_path, {"PLANTSTORE_WEBHOOK_ALLOW_PRIVATE": "true"}).with_database()
    program.make_store("nursery")
    made = program.data("webhook", "create", receiver.url, "--store", "nursery")
    create_in(program.folder, program.database, "nursery", 1)
    lock = FileLock(database_path(program.database))

    def respond_while_it_is_locked(_: Received) -> Response:
        lock.acquire()
        time.sleep(1)
        threading.Timer(2, lock.release).start()
        return OK

    receiver.respond = respond_while_it_is_locked
    own = WebhookSettings(webhook_allow_private=True)
    settings = Settings(database=program.database, of_features=(own,))
    session = partial(open_session, program.database)
    app = App(await open_database(settings), settings, session)
    add_webhooks(app)
    show = ("webhook", "show", made["id"], "--store", "nursery")
    await asyncio.to_thread(wait_until, lambda: program.data(*show))
    await app.close()
    attempts = program.data(*show)
    lock.close()
    assert [attempt["response"] for attempt in attempts] == ["ok"]
    assert len(receiver.messages) == 1


def test_a_broken_webhook_stops_no_other(tmp_path: Path, receiver: Receiver) -> None:
    with Service(tmp_path, settings=SETTINGS) as service, managing(service, "nursery") as client:
        broken = create_webhook(client, "http://127.0.0.1:1")["id"]
        progress = f"[0,[{10**30}]]"  # more than SQLite can compare
        change = f"UPDATE webhooks SET progress = '{progress}' WHERE webhook_id = '{broken}'"
        execute(service.database, change)
        create_webhook(client, receiver.url)
        create_plant(client, 1, "Fern")
        receiver.wait_for(1)
        wait_until(lambda: f"webhook {broken}: its events cannot be read" in service.log())


def test_webhooks_of_a_store_whose_events_are_slow_to_read_get_them_in_turn(
    tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    slowly = {f"{name}.READ_SECONDS": 1e-9 for name in (DELIVERY, "features.webhooks.messages")}
    with (
        Service(tmp_path, settings=SETTINGS | slowly) as service,
        managing(service, "nursery") as client,
    ):
        webhooks = {create_webhook(client, receiver.url)["id"] for _ in range(2)}
        for plant_id in range(3):
            create_plant(client, plant_id, "Fern")
        receiver.wait_for(6)
    told = [message.id for message in receiver.messages]
    for webhook in webhooks:
        expected = [f"msg_{webhook}_{revision}" for revision in (1, 2, 3)]
        assert sorted(message for message in told if webhook in message) == expected
    monkeypatch.setattr(messages, "READ_SECONDS", -1)
    with closing(open_session(service.database)) as session:
        store = require_store(session, "nursery")
        read = messages.read_messages(session, store.store_id, store.name, 0, 3)
    assert [message.revision for message in read] == [1]


def test_a_paused_webhook_gets_no_message_that_was_in_line(
    tmp_path: Path, receiver: Receiver
) -> None:
    slowly = SETTINGS | {f"{DELIVERY}._REST_SECONDS": 0.05}
    with Service(tmp_path, settings=slowly) as service, managing(service, "nursery") as client:
        create_webhook(client, receiver.url)
        for plant_id in range(100):
            create_plant(client, plant_id, "Fern")
        receiver.wait_for(10)
        with writes_held(service.database):
            time.sleep(0.5)  # by then, a message waits until the deliverer has the database
            count = len(receiver.messages)
            with closing(connect(database_path(service.database))) as database, database:
                database.execute("UPDATE webhooks SET paused = 'by hand'").fetchall()
            time.sleep(0.5)
        time.sleep(0.5)
        assert count == len(receiver.messages) < 100


def test_each_store_rests_for_its_own_work(tmp_path: Path, receiver: Receiver) -> None:
    forever = SETTINGS | {f"{DELIVERY}._RESTS": 1e6}
    with Service(tmp_path, settings=forever) as service, Receiver() as other:
        for store, its_receiver in (("nursery", receiver), ("garden", other)):
            with managing(service, store) as client:
                create_webhook(client, its_receiver.url)
                for plant_id in range(2):
                    create_plant(client, plant_id, "Fern")
            its_receiver.wait_for(1)
        time.sleep(1.5)
        assert [len(receiver.messages), len(other.messages)] == [1, 1]


def test_a_name_that_resolves_slowly_does_not_delay_the_stop(tmp_path: Path) -> None:
    program = """
import socket, time
resolve = socket.getaddrinfo
def getaddrinfo(host, *given, **more):
    if host == "example.com":
        print("resolving")
        time.sleep(1000)
    return resolve(host, *given, **more)
socket.getaddrinfo = getaddrinfo
from plantstore.program import main
main()
"""
    command = (sys.executable, "-uc", program)
    with Service(tmp_path, settings=SETTINGS, command=command) as service:
        with managing(service, "nursery") as client:
            create_webhook(client, "https://example.com")
            create_plant(client, 1, "Fern")
        wait_until(lambda: "resolving" in service.log())
        assert service.stop() == 0


def test_the_messages_of_a_deleted_webhook_need_no_garbage_collection(tmp_path: Path) -> None:
    """Otherwise, a full collection comes after hundreds of megabytes."""
    program = """
import asyncio, gc, signal
from plantstore.program import main
def count(*_):
    print("tasks:", sum(type(it) is asyncio.Task for it in gc.get_objects()))
signal.signal(signal.SIGUSR1, count)
gc.disable()
main()
"""

    def count_tasks() -> int:
        service.process.send_signal(signal.SIGUSR1)
        time.sleep(0.1)
        return int(([0, *re.findall(r"tasks: (\d+)", service.log())])[-1])

    command = (sys.executable, "-uc", program)
    with (
        Service(tmp_path, settings=SETTINGS, command=command) as service,
        managing(service, "nursery") as client,
    ):
        made = create_webhook(client, "http://127.0.0.1:1")
        for plant_id in range(100):
            create_plant(client, plant_id, "Fern")
        wait_until(lambda: count_tasks() > 100)
        client.delete(f"/webhooks/{made['id']}").raise_for_status()
        wait_until(lambda: count_tasks() < 50)


@ON_BOTH
def test_a_webhook_that_cannot_be_saved_stops_no_other(
    tmp_path: Path, url: str, receiver: Receiver
) -> None:
    with (
        Service(tmp_path, database=url, settings=SETTINGS) as service,
        managing(service, "nursery") as client,
    ):
        made, *broken = [create_webhook(client, receiver.url)["id"] for _ in range(3)]
        is_sqlite = url.startswith("sqlite")
        execute(url, (TRIGGER if is_sqlite else CONSTRAINT).format(made))
        for plant_id in range(5):
            create_plant(client, plant_id, "Fern")
            wait_until_delivered(client, made)
        assert len(receiver.messages) == 5 + 2
        for webhook in broken:
            line = f"webhook {webhook}: its deliveries cannot be saved"
            assert service.log().count(line) == 1
        execute(url, DROP_TRIGGER if is_sqlite else DROP_CONSTRAINT)
        for webhook in broken:
            wait_until_delivered(client, webhook)
        assert len(receiver.messages) == 15


def test_a_deleted_webhook_gets_no_other_message(
    service: Service, manager: httpx.Client, store: str, receiver: Receiver
) -> None:
    is_deleted = threading.Event()

    def delete_once(_: Received) -> Response:
        if len(receiver.messages) == 20:
            manager.delete(f"/webhooks/{made['id']}").raise_for_status()
            is_deleted.set()
        return OK

    with managing(service, store) as client:
        made = create_webhook(client, receiver.url, paused=True)
        for plant_id in range(200):
            create_plant(client, plant_id, "Fern")
        receiver.respond = delete_once
        client.put(f"/webhooks/{made['id']}", json={"url": receiver.url}).raise_for_status()
    assert is_deleted.wait(10)
    time.sleep(0.5)
    assert 20 <= len(receiver.messages) <= 20 + 7  # in flight


def test_an_internal_error_is_logged_once(tmp_path: Path, receiver: Receiver) -> None:
    program = """
from plantstore.features.webhooks import delivery
delivery._RETRY_SECONDS = 0.05
def open_client(settings):
    raise RuntimeError("a fault")
delivery.open_client = open_client
from plantstore.program import main
main()
"""
    command = (sys.executable, "-uc", program)
    with (
        Service(tmp_path, settings=SETTINGS, command=command) as service,
        managing(service, "nursery") as client,
    ):
        create_webhook(client, receiver.url)
        create_plant(client, 1, "Fern")
        wait_until(lambda: "RuntimeError: a fault" in service.log())
        time.sleep(0.5)  # it is tried again meanwhile
        assert service.log().count("RuntimeError: a fault") == 1
