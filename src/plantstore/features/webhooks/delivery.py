"""Delivers the messages of a database's webhooks, in a thread of one process.

Invariants: only the holder of the lease delivers; the next holder continues from the webhooks'
rows, and sends messages again that were in flight. Changes to a plant are sent one after another,
in order. The thread uses at most a twentieth of a processor, and stores take turns.
"""

import asyncio
import logging
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import cache, partial
from itertools import count

import msgspec
from msgspec.structs import replace

from plantstore.core.clock import DAY_MS, now
from plantstore.core.errors import PlantStoreError, SetupError
from plantstore.core.failures import FailureLog
from plantstore.core.logs import administration_logger
from plantstore.core.thread import DaemonThreads, Thread
from plantstore.databases import find_file
from plantstore.features.webhooks import WebhookSettings
from plantstore.features.webhooks.messages import RESYNC, Message, open_client, read_messages
from plantstore.features.webhooks.webhooks import Delivery, Webhook, log_deliveries
from plantstore.http.app import App
from plantstore.sql.administration.audit import Actor, write_audit
from plantstore.sql.session import Session
from plantstore.sqlite.file_lock import FileLock

failures = FailureLog(logging.getLogger(__name__), "webhooks are delivered again")

_TICK_SECONDS = 0.5  # between two queries of the database
_RETRY_SECONDS = 1.0  # between two attempts to get the lease
_BURST = 10  # messages without a rest, which costs two switches of threads
_REST_SECONDS = 0.1  # the shortest rest
_RESTS = 19  # seconds of rest for each second of work
_MAX_BEGUN = 8  # of a webhook
_MAX_WAITING = 200  # of a webhook

Read = Callable[[int, str, int, int], Sequence[Message]]  # ``read_messages`` in a session


class Queue:
    """The messages that a webhook has not accepted yet.

    At most eight are begun: others wait while eight are in flight or were refused.
    """

    def __init__(self, webhook: Webhook, delays: Sequence[float], read: Read) -> None:
        self.webhook = self.saved = webhook
        self.waiting: dict[int, Message] = {}  # by revision, in order
        self.is_changed = self.is_in_line = False
        self._log: list[Delivery] = []  # not yet saved
        self._delays, self._not_before = delays, 0
        self._read, pending = webhook.delivered, list[int]()
        with suppress(msgspec.DecodeError):  # it is new, or of another version
            self._read, pending = msgspec.json.decode(webhook.progress, type=tuple[int, list[int]])
        for revision in pending:
            self._add(read(webhook.store_id, webhook.store, revision - 1, revision)[0])

    def fill(self, revision: int, read: Read) -> None:
        """Queue the next messages, up to this revision."""
        if self._read < revision and len(self.waiting) < _MAX_WAITING:
            messages = read(self.webhook.store_id, self.webhook.store, self._read, revision)
            self._read, self.is_changed = messages[-1].revision, True
            self._add(*messages)

    def _add(self, *messages: Message) -> None:
        for message in messages:
            is_of_tag = self.webhook.tag in (None, message.tag)
            if message.type == RESYNC or (message.type in self.webhook.events and is_of_tag):
                self.waiting[message.revision] = replace(message)  # other webhooks have it, too

    def _is_full(self) -> bool:
        return sum(message.attempts > 0 for message in self.waiting.values()) >= _MAX_BEGUN

    def find_due(self) -> Message | None:
        """The next message that may be sent now."""
        moment, blocked, is_full = now(), set(), self._is_full()
        if self.webhook.paused or moment < self._not_before:
            return None
        for message in self.waiting.values():
            is_due = message.due is not None and message.due <= moment
            if is_due and message.plant_id not in blocked and (message.attempts or not is_full):
                return message
            blocked.add(message.plant_id)
        return None

    def record(self, message: Message, delivery: Delivery, wait: float) -> None:
        """Record the result of a message, and the seconds that the receiver asked to wait."""
        at, since, paused = now(), None, self.webhook.paused
        if delivery.is_accepted:
            if message.attempts > 1 and self._is_full():
                for other in self.waiting.values():  # retry refused messages at once
                    other.due = None if other.due is None else 0
            self.waiting.pop(message.revision, None)  # None if an owner has changed the webhook
        else:
            delay = self._delays[: message.attempts][-1] * random.uniform(1, 1.2)  # noqa: S311 - no secret
            message.due = at + int(1000 * max(delay, wait))
            self._not_before = message.due if wait else self._not_before
            since = self.webhook.failing_since or at
            if delivery.status == 410:  # noqa: PLR2004 - as HTTP has it
                paused = "the receiver responded 410 Gone"
            elif at - since >= 5 * DAY_MS:
                last = delivery.status or delivery.response
                paused = f"no message was accepted for 5 days; the last response was {last}"
            delivery = delivery._replace(next_at=None if paused else message.due)
        self.webhook = self.webhook._replace(failing_since=since, paused=paused)
        self._log.append(delivery)
        self.is_changed = True

    def save(self, session: Session) -> None:
        """Log the deliveries, and save the progress."""
        delivered = next(iter(self.waiting), self._read + 1) - 1
        progress = msgspec.json.encode((self._read, list(self.waiting))).decode()
        row = self.webhook._replace(delivered=delivered, progress=progress)
        session.query("save_webhook", *row[:-2])
        log_deliveries(session, row, self._log)
        self.webhook = self.saved = row
        self._log, self.is_changed = [], False
        if row.paused:
            about = {"webhook_id": row.id, "reason": row.paused}
            by = Actor("", name="plantstore")
            write_audit(session, by, "webhook pause", row.store, None, **about)
            extra = {"fields": {"store_id": row.store_id, **about}}
            administration_logger().warning("webhook paused", extra=extra)


class Deliverer:
    """Delivers to all webhooks of a database."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._settings = app.settings.of(WebhookSettings)
        self._is_over = False
        self.failing, self.delay = 0, 0.0

    async def run(self) -> None:
        """Wait until a webhook is behind its store, then deliver, in a thread."""
        is_needed = False
        while not is_needed:
            await asyncio.sleep(_RETRY_SECONDS)
            with suppress(PlantStoreError):  # logged by the database
                is_needed = bool(await self._app.database.read("find_due_webhooks"))
        done = Thread("webhooks").run(lambda: asyncio.run(self._run()))
        self._app.at_close.append(partial(self._close, done))

    async def _close(self, done: "asyncio.Future[None]") -> None:
        self._is_over = True
        await asyncio.wait([done], timeout=2)

    async def _run(self) -> None:
        asyncio.get_running_loop().set_default_executor(DaemonThreads())
        self._in_database = Thread("webhooks-database").run
        while not self._is_over:
            try:
                with self._lease() as is_held:
                    if is_held():
                        await self._deliver(is_held)
            except* (SetupError, ImportError) as errors:
                failures.add("webhooks are not delivered: %s", errors.exceptions[0])
            except* Exception:
                logging.getLogger(__name__).exception("webhooks are not delivered")
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
        self._queues: dict[tuple[object, ...], Queue] = {}
        self._saving, self._turn = asyncio.Lock(), asyncio.Lock()
        self._begun, self._worked = count(1), time.thread_time()
        self._turns: dict[int | None, asyncio.Lock] = defaultdict(asyncio.Lock)
        with closing(self._app.open_session()) as session:
            async with open_client(self._settings) as self._post, asyncio.TaskGroup() as self._jobs:
                while True:
                    async with self._saving:  # no result is recorded meanwhile
                        await self._in_database(partial(self._refresh, session, is_held))
                        if self._is_over:
                            raise asyncio.CancelledError  # also of the messages in flight
                        for queue in self._queues.values():
                            self._begin(queue)
                    failures.note_success()
                    await asyncio.sleep(_TICK_SECONDS)

    def _refresh(self, session: Session, is_held: Callable[[], bool]) -> None:
        """Save the progress of all queues, and queue messages."""
        if not is_held():
            raise SetupError("another process delivers them")
        queues, read = self._queues, cache(partial(read_messages, session))
        is_changed = any(queue.is_changed for queue in queues.values())
        with session.transaction() if is_changed else nullcontext():
            due = {tuple(row[:2]): Webhook(*row) for row in session.query("find_due_webhooks")}
            for key, queue in tuple(queues.items()):
                if key not in due or due[key] != queue.saved._replace(revision=due[key].revision):
                    queues.pop(key).waiting.clear()  # an owner has changed it; none is sent now
                elif queue.is_changed:
                    queue.save(session)
        for key, webhook in due.items():
            try:
                if key not in queues:
                    queues[key] = Queue(webhook, self._settings.webhook_retries, read)
                queues[key].fill(webhook.revision, read)
            except Exception as error:  # noqa: BLE001 - the other webhooks continue
                failures.add("webhook %s: its events cannot be read: %s", webhook.id, error)
        waiting = [tuple(queue.waiting.values()) for queue in queues.values() if queue.waiting]
        self.failing = sum(any(message.due for message in messages) for messages in waiting)
        self.delay = max((now() - oldest.at for oldest, *_ in waiting), default=0) / 1000

    def _begin(self, queue: Queue) -> None:
        """Wait for the webhook's turn if a message is due; each message waits anew."""
        if not queue.is_in_line and queue.find_due():
            queue.is_in_line = True
            self._jobs.create_task(self._send(queue))

    async def _send(self, queue: Queue) -> None:
        # All failing webhooks take turns as one store.
        turn = queue.webhook.store_id if queue.webhook.failing_since is None else None
        async with self._turns[turn], self._turn:  # both are first come, first served
            if next(self._begun) % _BURST == 0:
                rest = _RESTS * (time.thread_time() - self._worked)
                await asyncio.sleep(min(max(rest, _REST_SECONDS), 1))
                self._worked = time.thread_time()
        async with self._saving:
            queue.is_in_line, message = False, queue.find_due()
            if message is None:  # an owner, or a response, has changed it
                return
            message.attempts, message.due = message.attempts + 1, None
            self._begin(queue)
        outcome = await self._post(queue.webhook, message)
        async with self._saving:
            queue.record(message, *outcome)
            self._begin(queue)
