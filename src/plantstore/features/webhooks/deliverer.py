"""Delivers messages to the webhooks of a database, in a thread of one process of a fleet.

Invariants: the deliverer holds the lease; messages not accepted before it loses the lease are sent
again by the next holder. It takes a twentieth of a processor at most, and each store gets its turn.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from functools import cache, partial
from typing import TYPE_CHECKING

from plantstore.core.database import Database
from plantstore.core.errors import PlantStoreError, SetupError
from plantstore.core.failures import FailureLog
from plantstore.core.pools import Pool
from plantstore.core.settings import Settings
from plantstore.databases import find_file
from plantstore.features.webhooks import WebhookSettings
from plantstore.features.webhooks.client import open_client, send
from plantstore.features.webhooks.messages import Message, read_messages
from plantstore.features.webhooks.queue import Queue
from plantstore.features.webhooks.webhooks import Delivery, Place, Webhook, save_progress
from plantstore.sql.session import OpenSession, Session
from plantstore.sqlite.file_lock import FileLock

if TYPE_CHECKING:
    import aiohttp

failures = FailureLog(logging.getLogger(__name__), "webhooks are delivered again")

_TICK_SECONDS = 0.5  # between two queries of the database
_RETRY_SECONDS = 1.0  # to become the one who delivers
_CLOSING_SECONDS = 2.0
_CPU_SECONDS = _TICK_SECONDS / 20  # of a processor, until the next look
_MAX_SENDING = 512  # in all
_PAGE = 200  # events that are read at a time

Save = tuple[Webhook, Webhook, list[Delivery]]  # a row before and after, and what was sent


class Deliverer:
    """Delivers to all webhooks of a database, once there is one."""

    def __init__(self, settings: Settings, open_session: OpenSession) -> None:
        self._url = settings.database
        self._settings = settings.of(WebhookSettings)
        self._open_session = open_session
        self._queues: dict[Place, Queue] = {}  # whose turn is next, first
        self._places = Pool("webhook messages", _MAX_SENDING)
        self._noted = asyncio.Event()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)
        self.failing = 0
        self.delay = 0.0

    async def run(self, database: Database) -> None:
        """Wait for the database's first webhook, then begin."""
        while True:
            with suppress(PlantStoreError):  # which the database logs
                if await database.read("find_any_webhook"):
                    break
            await asyncio.sleep(_RETRY_SECONDS)
        self._thread.start()

    async def close(self) -> None:
        """End; what is in flight then is sent again by the next process."""
        self._is_over.set()
        if self._thread.is_alive():
            await asyncio.to_thread(self._thread.join, _CLOSING_SECONDS)

    def _run(self) -> None:
        while not self._is_over.is_set():
            try:
                with _lease(self._open_session, self._url) as is_held:
                    if is_held():
                        asyncio.run(self._deliver(is_held))
            except* (SetupError, ImportError) as errors:
                failures.add("webhooks are not delivered: %s", errors.exceptions[0])
            except* Exception:
                failures.add("webhooks are not delivered")
                logging.getLogger(__name__).exception("delivering webhooks failed")
            self.failing, self.delay = 0, 0.0
            self._is_over.wait(_RETRY_SECONDS)

    async def _deliver(self, is_held: Callable[[], bool]) -> None:
        # A name that does not resolve blocks a thread for long: others do not wait for it.
        threads = ThreadPoolExecutor(_MAX_SENDING, "webhooks")
        asyncio.get_running_loop().set_default_executor(threads)
        self._queues, self._noted = {}, asyncio.Event()
        with closing(self._open_session()) as session:
            async with open_client(self._settings) as client, asyncio.TaskGroup() as group:
                while not self._is_over.is_set() and await asyncio.to_thread(is_held):
                    await self._refresh(session)
                    failures.note_success()
                    with suppress(TimeoutError):
                        async with asyncio.timeout(_TICK_SECONDS):
                            await self._send_all(client, group)
            await self._refresh(session)

    async def _refresh(self, session: Session) -> None:
        """Save how far all are, and find what is to be sent."""
        saves, queues = [], self._queues
        for queue in queues.values():
            if queue.is_changed:
                row, queue.is_changed = queue.row, False
                saves.append((queue.webhook, row, queue.log))
                queue.webhook, queue.log = row, []
        delays = self._settings.webhook_retries
        due = await asyncio.to_thread(_exchange, session, saves, queues, delays)
        for place in queues.keys() - {queue.webhook.place for queue, *_ in due}:
            del queues[place]
        for queue, revision, messages in due:
            queues[queue.webhook.place] = queue
            if messages is not None:
                queue.add(messages, revision)
        self.failing = sum(queue.is_failing for queue in queues.values())
        self.delay = max((queue.delay for queue in queues.values()), default=0.0)

    async def _send_all(self, client: "aiohttp.ClientSession", group: asyncio.TaskGroup) -> None:
        """Send what may be sent, also after each response, until cancelled at the tick's end."""
        end = time.thread_time() + _CPU_SECONDS
        while True:
            self._noted.clear()
            for queue, message in self._take_messages():
                group.create_task(self._send(client, queue, message))
                self._noted.set()  # there may be more
                await asyncio.sleep(0 if time.thread_time() < end else _TICK_SECONDS)
            await self._noted.wait()

    def _take_messages(self) -> Iterator[tuple[Queue, Message]]:
        """A message of each store, of the webhook whose turn it is; of one that fails, in all."""
        stores, has_failing = set(), False
        for place, queue in list(self._queues.items()):
            store_id, is_failing = place[0], queue.failing_since is not None
            is_served = store_id in stores or (is_failing and has_failing)
            if is_served or not self._places.try_take(store_id):
                continue
            if message := queue.take():
                stores.add(store_id)
                has_failing = has_failing or is_failing
                self._queues[place] = self._queues.pop(place)  # the last to have another turn
                yield queue, message
            else:
                self._places.give_back(store_id)

    async def _send(self, client: "aiohttp.ClientSession", queue: Queue, message: Message) -> None:
        try:
            result = await send(client, queue.webhook, message, self._settings.webhook_key)
        finally:
            self._places.give_back(queue.webhook.store_id)
        queue.note(message, *result)
        self._noted.set()


def _exchange(
    session: Session, saves: Sequence[Save], queues: Mapping[Place, Queue], delays: Sequence[float]
) -> list[tuple[Queue, int, list[Message] | None]]:
    """Save rows; the queues that have something to send, with their next messages."""
    if saves:
        with session.transaction():
            for save in saves:
                save_progress(session, *save)
    read = cache(partial(read_messages, session))
    due = []
    for row in session.query("find_due_webhooks"):
        webhook = Webhook(*row)
        queue = queues.get(webhook.place)
        if queue is None or not queue.follows(webhook):
            queue = Queue(webhook, delays, session)
        has_more = queue.read < webhook.revision and not queue.is_full
        messages = read(*webhook.source, queue.read, _PAGE) if has_more else None
        due.append((queue, webhook.revision, messages))
    return due


@contextmanager
def _lease(open_session: OpenSession, url: str) -> Iterator[Callable[[], bool]]:
    """Be the one who delivers, unless another process is; what tells whether this one is."""
    if path := find_file(url):
        with FileLock(path, "-webhooks") as lock:
            yield lock.try_acquire
        return
    with closing(open_session()) as session:
        session.query("begin_lease")
        yield lambda: bool(session.query("hold_lease")[0][0])
