"""The deliverer in the process of the test."""

import asyncio
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from plantstore.core.settings import Settings
from plantstore.databases import open_database, open_session
from plantstore.features.webhooks import WebhookSettings, messages
from plantstore.features.webhooks.routes import add_webhooks
from plantstore.http.app import App, Process
from plantstore.sqlite.connection import database_path
from plantstore.sqlite.file_lock import FileLock
from tests.cli.program import Program
from tests.features.webhooks.receiver import OK, Received, Receiver, Response
from tests.waiting import wait_until


@pytest.mark.anyio
async def test_a_wait_for_the_database_is_no_failure_of_the_receiver(
    tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "_TIMEOUT", 2.0)
    program = Program(tmp_path, {"PLANTSTORE_WEBHOOK_ALLOW_PRIVATE": "true"}).with_database()
    program.make_store("nursery")
    made = program.data("webhook", "create", receiver.url, "--store", "nursery")
    program.out("plant", "add", "--store", "nursery", "1", "Fern")
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
    app = App(await open_database(settings), settings, session, Process())
    add_webhooks(app)
    show = ("webhook", "show", made["id"], "--store", "nursery")
    await asyncio.to_thread(wait_until, lambda: program.data(*show))
    await app.close()
    attempts = program.data(*show)
    lock.close()
    assert [attempt["response"] for attempt in attempts] == ["ok"]
    assert len(receiver.messages) == 1
