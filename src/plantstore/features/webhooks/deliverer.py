"""Delivers messages to the webhooks of a database, in a thread of one process.

Invariants: only the holder of the lease delivers; the next holder sends messages again that were
not accepted before. It uses at most a twentieth of a processor, and each store gets its turn.
Responses are received while it waits for the database.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import cache, partial

from plantstore.core.clock import now
from plantstore.core.errors import PlantStoreError, SetupError
from plantstore.core.failures import FailureLog
from plantstore.core.pools import Pool
from plantstore.core.thread import Thread
from plantstore.databases import find_file
from plantstore.features.webhooks import WebhookSettings
from plantstore.features.webhooks.client import Send, open_client
from plantstore.features.webhooks.queue import Message, Queue, read_messages
from plantstore.features.webhooks.webhooks import Webhook
from plantstore.http.app import App
from plantstore.sql.session import Session
from plantstore.sqlite.file_lock import FileLock

failures = FailureLog(logging.getLogger(__name__), "webhooks are delivered again")

_TICK_SECONDS = 0.5  # between two queries of the database
_RETRY_SECONDS = 1.0  # between two attempts to get the lease
_CLOSING_SECONDS = 2.0
_CPU_SECONDS = _TICK_SECONDS / 20  # of a processor, per tick
_MAX_SENDING = 512  # messages in flight


class Deliverer:
    """Delivers to all webhooks of a database."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._settings = app.settings.of(WebhookSettings)
        self._queues: dict[tuple[int, str], Queue] = {}  # the next turn first
        self._is_over = False
        self.failing, self.delay = 0, 0.0

    async def run(self) -> None:
        """Wait for the database's first webhook, then deliver, in a thread."""
        is_needed = False
        while not is_needed:
            await asyncio.sleep(_RETRY_SECONDS)
            with suppress(PlantStoreError):  # logged by the database
                is_needed = bool(await self._app.database.read("find_any_webhook"))
        done = Thread("webhooks").run(lambda: asyncio.run(self._run()))
        self._app.at_close.append(partial(self._close, done))

    async def _close(self, done: "asyncio.Future[None]") -> None:
        """Close; the next process sends the messages in flight again."""
        self._is_over = True
        await asyncio.wait([done], timeout=_CLOSING_SECONDS)

    async def _run(self) -> None:
        # A name that does not resolve blocks a thread for a long time; other messages do not wait.
        threads = ThreadPoolExecutor(_MAX_SENDING, "webhooks")
        asyncio.get_running_loop().set_default_executor(threads)
        self._in_database = Thread("webhooks-database").run
        while not self._is_over:
            try:
                with self._lease() as is_held:
                    if is_held():
                        await self._deliver(is_held)
            except* (SetupError, ImportError) as errors:
                failures.add("webhooks are not delivered: %s", errors.exceptions[0])
            except* Exception:
                failures.add("webhooks are not delivered")
                logging.getLogger(__name__).exception("delivering webhooks failed")
            self.failing, self.delay = 0, 0.0
            await asyncio.sleep(_RETRY_SECONDS)

    @contextmanager
    def _lease(self) -> Iterator[Callable[[], bool]]:
        """A function that takes the lease if it is free; it tells whether this process holds it."""
        if path := find_file(self._app.settings.database):
            with FileLock(path, "-webhooks") as lock:
                yield lock.try_acquire
            return
        with closing(self._app.open_session()) as session:
            session.query("begin_lease")
            yield lambda: bool(session.query("hold_lease")[0][0])

    async def _deliver(self, is_held: Callable[[], bool]) -> None:
        self._queues, self._places = {}, Pool("webhook messages", _MAX_SENDING)
        self._noted, self._saving = asyncio.Event(), asyncio.Lock()
        with closing(self._app.open_session()) as session:
            async with open_client(self._settings) as send, asyncio.TaskGroup() as group:
                while not self._is_over and await self._in_database(is_held):
                    async with self._saving:
                        await self._in_database(partial(self._refresh, session))
                    failures.note_success()
                    with suppress(TimeoutError):
                        async with asyncio.timeout(_TICK_SECONDS):
                            await self._send_all(send, group)
            self._refresh(session)

    def _refresh(self, session: Session) -> None:
        """Save the progress of all queues, and queue messages. No result is recorded meanwhile."""
        queues, read = self._queues, cache(partial(read_messages, session))
        is_changed = any(queue.is_changed for queue in queues.values())
        with session.transaction() if is_changed else nullcontext():
            webhooks = [Webhook(*row) for row in session.query("find_due_webhooks")]
            due = {(webhook.store_id, webhook.id): webhook for webhook in webhooks}
            for key, queue in tuple(queues.items()):
                if key not in due or not queue.follows(due[key]):
                    del queues[key]
                elif queue.is_changed:
                    queue.save(session)
        for key, webhook in due.items():
            if key not in queues:
                queues[key] = Queue(webhook, self._settings.webhook_retries, read)
            queues[key].fill(webhook.revision, read)
        waiting = [tuple(queue.waiting.values()) for queue in queues.values() if queue.waiting]
        self.failing = sum(any(message.due for message in messages) for messages in waiting)
        self.delay = max((now() - oldest.at for oldest, *_ in waiting), default=0) / 1000

    async def _send_all(self, send: Send, group: asyncio.TaskGroup) -> None:
        """Send what may be sent, also after each response, until cancelled at the tick's end.

        A round has one message per store, from the webhook whose turn it is, and at most one
        message in all to failing webhooks.
        """
        end = time.thread_time() + _CPU_SECONDS
        while True:
            self._noted.clear()
            served = set()
            for key, queue in list(self._queues.items()):
                store_id = key[0]
                turn = store_id if queue.webhook.failing_since is None else None
                if turn in served or not self._places.has_room(store_id):
                    continue
                if message := queue.take():
                    served.add(turn)
                    self._queues[key] = self._queues.pop(key)  # its next turn is last
                    self._places.take(store_id)
                    group.create_task(self._send(send, queue, message))
                    self._noted.set()  # there may be more to send
                    await asyncio.sleep(0 if time.thread_time() < end else _TICK_SECONDS)
            await self._noted.wait()

    async def _send(self, send: Send, queue: Queue, message: Message) -> None:
        outcome = await send(queue.webhook, message)
        async with self._saving:
            queue.record(message, *outcome)
        self._places.give_back(queue.webhook.store_id)
        self._noted.set()
