"""Delivers messages to the webhooks of a database, in a thread of one process of a fleet.

Invariants: who delivers holds the lease; what was not accepted before it is lost is sent again by
the next holder. It takes a twentieth of a processor at most, and each store gets its turn.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import starmap
from typing import TYPE_CHECKING

from plantstore.core.database import Database, Row
from plantstore.core.errors import PlantStoreError, SetupError
from plantstore.core.failures import FailureLog
from plantstore.core.logs import administration_logger
from plantstore.core.pools import Pool
from plantstore.core.settings import Settings
from plantstore.databases import find_file
from plantstore.features.webhooks import WebhookSettings
from plantstore.features.webhooks.client import open_client, send
from plantstore.features.webhooks.messages import Message, read_messages
from plantstore.features.webhooks.queue import Progress, Queue
from plantstore.features.webhooks.records import Delivery, Webhook
from plantstore.features.webhooks.webhooks import list_deliveries, log_deliveries
from plantstore.sql.administration.audit import Actor, write_audit
from plantstore.sql.session import OpenSession, Session
from plantstore.sqlite.file_lock import FileLock

if TYPE_CHECKING:
    import aiohttp

failures = FailureLog(logging.getLogger(__name__), "webhooks are delivered again")

_TICK_SECONDS = 0.5  # between two looks at the database
_RETRY_SECONDS = 1.0  # to become the one who delivers
_CLOSING_SECONDS = 2.0
_CPU_SHARE = 0.05  # of one processor
_BURST_SECONDS = 0.02
_MAX_SENDING = 512  # in all
_ACTOR = Actor("", name="plantstore")
_PAGE = 200  # events that are read at a time

State = tuple[Webhook, Progress, list[Delivery]]  # what is to be saved


class Deliverer:
    """Delivers to all webhooks of a database, once there is one."""

    def __init__(self, settings: Settings, open_session: OpenSession) -> None:
        self._url = settings.database
        self._settings = settings.of(WebhookSettings)
        self._open_session = open_session
        self._queues: dict[tuple[int, str], Queue] = {}  # whose turn is next, first
        self._places = Pool("webhook messages", _MAX_SENDING)
        self._noted = asyncio.Event()
        self._free_at = self._used = 0.0  # of the processor
        self._stop: Callable[[], object] = lambda: None
        self._thread = threading.Thread(target=self._run_loop, name="webhooks", daemon=True)
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
        """End; what is in flight is sent again by the next process."""
        self._stop()
        if self._thread.is_alive():
            await asyncio.to_thread(self._thread.join, _CLOSING_SECONDS)

    def _run_loop(self) -> None:
        with suppress(asyncio.CancelledError):
            asyncio.run(self._run())

    async def _run(self) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None  # noqa: S101 - it runs
        self._stop = lambda: loop.call_soon_threadsafe(task.cancel)
        # A name that no server answers for holds a thread for long: others do not wait for it.
        loop.set_default_executor(ThreadPoolExecutor(_MAX_SENDING, "webhooks"))
        while True:
            try:
                with _lease(self._open_session, self._url) as check:
                    if check is not None:
                        await self._deliver(check)
            except (SetupError, ImportError) as error:
                failures.add("webhooks are not delivered: %s", error)
            except Exception:
                failures.add("webhooks are not delivered")
                logging.getLogger(__name__).exception("delivering webhooks failed")
            await asyncio.sleep(_RETRY_SECONDS)

    async def _deliver(self, check: Callable[[], object]) -> None:
        with closing(await asyncio.to_thread(self._open_session)) as session:
            async with open_client(self._settings) as client:
                try:
                    while True:
                        await self._refresh(session, check)
                        failures.note_success()
                        await self._send_for_a_tick(client)
                finally:
                    for place in list(self._queues):
                        self._end(place)

    def _end(self, place: tuple[int, str]) -> None:
        for task in self._queues.pop(place).tasks:
            task.cancel()

    async def _refresh(self, session: Session, check: Callable[[], object]) -> None:
        """Save how far it came, and find what is to be sent."""
        states = []
        for queue in self._queues.values():
            if queue.log or queue.progress != queue.saved:
                queue.saved = queue.progress
                states.append((queue.webhook, queue.saved, queue.log))
                queue.log = []
        rows = await asyncio.to_thread(_exchange, session, check, states)
        due = {webhook.place: webhook for webhook in starmap(Webhook, rows)}
        for place, queue in list(self._queues.items()):
            if place not in due or not queue.follows(due[place]):
                self._end(place)
        wanted: dict[tuple[int, str, int], list[Queue]] = {}
        for place, webhook in due.items():
            if place not in self._queues:
                failed = webhook.failing_since is not None
                log = await asyncio.to_thread(list_deliveries, session, webhook) if failed else []
                self._queues[place] = Queue(webhook, self._settings.webhook_retries, log)
            queue = self._queues[place]
            queue.webhook = webhook
            if (after := queue.find_wanted()) is not None:
                wanted.setdefault((webhook.store_id, webhook.store, after), []).append(queue)
        for events, queues in wanted.items():
            messages = await asyncio.to_thread(read_messages, session, *events, _PAGE)
            for queue in queues:
                queue.add(messages)
        self.failing = sum(queue.failures > 0 for queue in self._queues.values())
        self.delay = max((queue.delay for queue in self._queues.values()), default=0.0)

    async def _send_for_a_tick(self, client: "aiohttp.ClientSession") -> None:
        deadline = time.monotonic() + _TICK_SECONDS
        while (left := deadline - time.monotonic()) > 0:
            self._noted.clear()
            is_idle = True
            for queue, message in self._take_messages():
                is_idle = False
                task = asyncio.create_task(self._send(client, queue, message))
                queue.tasks.add(task)
                task.add_done_callback(queue.tasks.discard)
                await self._rest()
            if is_idle:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._noted.wait(), left)

    def _take_messages(self) -> Iterator[tuple[Queue, Message]]:
        """A message of each store, of the webhook whose turn it is."""
        stores = set()
        for place, queue in list(self._queues.items()):
            store_id, _ = place
            if store_id in stores or not self._places.try_take(store_id):
                continue
            if message := queue.take():
                stores.add(store_id)
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

    async def _rest(self) -> None:
        """Sleep for as long as keeps the thread to its share of the processor."""
        time_, used = time.monotonic(), time.thread_time()
        self._free_at = max(self._free_at, time_) + (used - self._used) / _CPU_SHARE
        self._used = used
        if self._free_at > time_ + _BURST_SECONDS:
            await asyncio.sleep(self._free_at - time_)


def _exchange(
    session: Session, check: Callable[[], object], states: Sequence[State]
) -> Sequence[Row]:
    """Save what has changed while the lease is held; the webhooks that are to be told something."""
    check()
    if states:
        with session.transaction():
            for webhook, progress, log in states:
                session.query("save_progress", *webhook.place, *progress)
                if log:
                    log_deliveries(session, webhook, log)
                if reason := progress[-1]:
                    about = {"webhook_id": webhook.id, "reason": reason}
                    write_audit(session, _ACTOR, "webhook pause", webhook.store, None, **about)
                    extra = {"fields": {"store_id": webhook.store_id, **about}}
                    administration_logger().warning("webhook paused", extra=extra)
    return session.query("find_due_webhooks")


@contextmanager
def _lease(open_session: OpenSession, url: str) -> Iterator[Callable[[], object] | None]:
    """Be the one who delivers; what checks that it still is, None where another process is."""
    if path := find_file(url):
        with FileLock(path, "-webhooks") as lock:
            yield (lambda: None) if lock.try_acquire() else None
        return
    with closing(open_session()) as session:
        session.query("begin_lease")
        check = partial(session.query, "prolong_lease")
        check()
        ((is_held,),) = session.query("take_lease")
        yield check if is_held else None
