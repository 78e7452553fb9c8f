"""Delivers the messages of a database's webhooks, in a thread of one process.

Invariants: only the holder of the lease delivers; the next holder continues from the webhooks'
rows, and sends messages again that were in flight. Changes to a plant are sent one after another,
in order. No message begins after the commit of an owner's change. Stores take turns.
"""

import asyncio
import logging
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import cache, partial
from itertools import chain, repeat
from traceback import format_exc
from typing import Any
from weakref import WeakValueDictionary

import msgspec

from plantstore.core.clock import DAY_MS, now
from plantstore.core.errors import PlantStoreError, SetupError
from plantstore.core.failures import FailureLog
from plantstore.core.logs import administration_logger
from plantstore.core.thread import Thread, run_in_thread
from plantstore.databases import find_file
from plantstore.features.webhooks import WebhookSettings
from plantstore.features.webhooks.messages import (
    READ_SECONDS,
    RECEIVED,
    Message,
    open_client,
    read_messages,
)
from plantstore.features.webhooks.webhooks import Delivery, Webhook, log_deliveries
from plantstore.http.app import App
from plantstore.sql.administration.audit import Actor, write_audit
from plantstore.sql.session import Session
from plantstore.sqlite.file_lock import FileLock

failures = FailureLog(logging.getLogger(__name__), "webhooks are delivered again")

_TICK_SECONDS = 0.5  # between two exchanges with the database
_RETRIES = (5, 30, 300, 1800, 7200, 28800, 86400)  # seconds before each; the last ones repeat
_RETRY_SECONDS = 1.0  # between two attempts to get the lease
_REST_SECONDS = 0.01  # the shortest rest between two messages
_RESTS = 9  # seconds of rest for each second of work
_MAX_BEGUN = 8  # of a webhook
_MAX_WAITING = 200  # of a webhook
_WAIT_MS = 2000  # of a webhook that cannot be saved or read


class Queue:
    """The messages that a webhook has not accepted yet, each with the task that delivers it."""

    def __init__(self, webhook: Webhook) -> None:
        self.webhook = self.saved = webhook
        self.resumes_at = 0
        self.tasks: dict[Message, asyncio.Task[None]] = {}  # in order
        self.log: list[Delivery] = []  # not yet saved
        self.slots = asyncio.Semaphore(_MAX_BEGUN)
        self.plants = WeakValueDictionary[int | None, asyncio.Lock]()
        self._read, self._unread = webhook.delivered, list[int]()
        with suppress(msgspec.DecodeError):  # it is new, or of another version
            progress = msgspec.json.decode(webhook.progress, type=tuple[int, list[int]])
            self._read, self._unread = progress

    def read_next(self, read: Callable[..., list[Message]], row: Webhook) -> list[Message]:
        """The messages that were not accepted earlier, then the next ones, as of a newer row."""
        store, messages = (row.store_id, row.store), list[Message]()
        try:
            until = time.monotonic() + READ_SECONDS
            while self._unread and time.monotonic() < until:
                messages.append(read(*store, self._unread[0] - 1, self._unread[0])[0])
                del self._unread[0]
            if not self._unread and self._read < row.revision and len(self.tasks) < _MAX_WAITING:
                messages += read(*store, self._read, row.revision)
                self._read = messages[-1].revision
        except Exception as error:  # noqa: BLE001 - the other webhooks continue
            self._wait("its events cannot be read", error)
        return [message for message in messages if message.is_for(self.webhook)]

    def to_row(self) -> Webhook:
        waiting = [message.revision for message in self.tasks] + self._unread  # in order
        progress = msgspec.json.encode((self._read, waiting)).decode()
        delivered = [*waiting, self._read + 1][0] - 1
        return self.webhook._replace(delivered=delivered, progress=progress)

    def is_current(self, session: Session) -> bool:
        """Whether the row equals the saved one."""
        rows = session.query("find_webhooks", *self.saved[:2])
        return [Webhook(*row)[:-2] for row in rows] == [self.saved[:-2]]

    def save(self, session: Session, row: Webhook) -> None:
        """Save the row and the log in a transaction, unless another process changed the row."""
        saved = len(self.log)  # more may come meanwhile
        session.query("begin_webhook")
        try:
            if self.is_current(session):
                session.query("save_webhook", *row[:-2])
                log_deliveries(session, row, self.log[:saved])
                if row.paused:
                    _report_pause(session, row)
                self.saved = row
                del self.log[:saved]
        except Exception as error:  # noqa: BLE001 - the other webhooks continue
            session.query("undo_webhook")
            self._wait("its deliveries cannot be saved", error)

    def _wait(self, reason: str, error: Exception) -> None:
        failures.add(f"webhook {self.webhook.id}: {reason}: %s", error)
        self.resumes_at = max(self.resumes_at, now() + _WAIT_MS)

    def record(self, message: Message, delivery: Delivery, next_at: int) -> None:
        """Record an attempt; a refused message is sent again, unless this pauses the webhook."""
        since, paused = None, self.webhook.paused
        if delivery.is_accepted:
            del self.tasks[message]
        else:
            since = self.webhook.failing_since or now()
            if delivery.status == 410:  # noqa: PLR2004 - as HTTP has it
                paused = "the receiver responded 410 Gone"
            elif now() - since >= 5 * DAY_MS:
                last = delivery.status or delivery.response
                paused = f"no message was accepted for 5 days; the last response was {last}"
            delivery = delivery._replace(next_at=None if paused else next_at)
        self.webhook = self.webhook._replace(failing_since=since, paused=paused)
        self.log.append(delivery)


def _report_pause(session: Session, row: Webhook) -> None:
    about = {"webhook_id": row.id, "reason": row.paused}
    write_audit(session, Actor("", name="plantstore"), "webhook pause", row.store, None, **about)
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
        asyncio.get_running_loop().set_default_executor(_DaemonThreads())
        self._in_database = Thread("webhooks-database").run
        while not self._is_over:
            try:
                with self._lease() as self._is_held:
                    if self._is_held():
                        await self._deliver_all()
            except* (SetupError, ImportError) as errors:
                failures.add("webhooks are not delivered: %s", errors.exceptions[0])
            except* Exception:  # noqa: BLE001 - it continues
                failures.add("webhooks are not delivered: %s", format_exc())
            self.failing, self.delay = 0, 0.0
            await asyncio.sleep(_RETRY_SECONDS)

    @contextmanager
    def _lease(self) -> Iterator[Callable[[], bool]]:
        """A function that takes the lease if it is free; it tells whether this process holds it."""
        if path := find_file(self._app.settings.database):
            with closing(FileLock(path, "-webhooks")) as lock:
                yield lock.try_acquire
            return
        with closing(self._app.open_session()) as session:
            session.query("begin_lease")
            yield lambda: bool(session.query("hold_lease")[0][0])

    async def _deliver_all(self) -> None:
        following: dict[Queue, list[Message]] = {}
        self._turn, self._turns = asyncio.Lock(), defaultdict[object, asyncio.Lock](asyncio.Lock)
        self._rests, self._payer = dict[object, float](), object()  # until when each turn rests
        self._began = time.monotonic(), time.thread_time()
        with closing(self._app.open_session()) as self._session:
            async with open_client(self._settings) as self._post, asyncio.TaskGroup() as tasks:
                while True:
                    rows = {queue: queue.to_row() for queue in following}
                    following = await self._in_database(partial(self._exchange, rows))
                    if self._is_over:
                        raise asyncio.CancelledError  # also of the messages in flight
                    for queue in rows.keys() - following.keys():
                        for task in queue.tasks.values():
                            task.cancel()
                        queue.tasks = {}  # else tasks and tracebacks refer to each other
                    for queue, messages in following.items():
                        for message in messages:
                            task = tasks.create_task(self._deliver(queue, message))
                            queue.tasks[message] = task
                    self.failing = sum(bool(queue.webhook.failing_since) for queue in following)
                    oldest = [next(iter(queue.tasks)).at for queue in following if queue.tasks]
                    self.delay = (now() - min(oldest, default=now())) / 1000
                    failures.note_success()
                    await asyncio.sleep(_TICK_SECONDS)

    def _exchange(self, rows: Mapping[Queue, Webhook]) -> dict[Queue, list[Message]]:
        """Save these rows; returns the queues of webhooks that are behind, with new messages."""
        if not self._is_held():
            raise SetupError("another process delivers them")
        session = self._session
        changed = [(queue, row) for queue, row in rows.items() if queue.log or row != queue.saved]
        with session.transaction() if changed else nullcontext():
            for queue, row in changed:
                queue.save(session, row)
        read, following = cache(partial(read_messages, session)), dict[Queue, list[Message]]()
        known = {queue.saved[:-2]: queue for queue in rows}
        webhooks = [Webhook(*row) for row in session.query("find_due_webhooks")]
        random.shuffle(webhooks)  # those of a store that get no time are not always the same
        spent = defaultdict[int, float](float)
        for webhook in webhooks:
            queue = known.get(webhook[:-2]) or Queue(webhook)
            following[queue], began = [], time.monotonic()
            if spent[webhook.store_id] < READ_SECONDS:
                following[queue] = queue.read_next(read, webhook)
                spent[webhook.store_id] += time.monotonic() - began
        return following

    async def _deliver(self, queue: Queue, message: Message) -> None:
        """Send a message until it is accepted, after the earlier messages about its plant."""
        async with queue.plants.setdefault(message.plant_id, asyncio.Lock()), queue.slots:
            for delay in chain(_RETRIES, repeat(_RETRIES[-1])):
                await self._take_turn(queue)
                delivery, wait = await self._post(queue.webhook, message)
                seconds = max(delay * random.uniform(1, 1.2), wait)  # noqa: S311 - no secret
                next_at = now() + int(1000 * seconds)
                queue.record(message, delivery, next_at)
                if delivery.is_accepted:
                    return
                queue.resumes_at = next_at if wait else queue.resumes_at
                await asyncio.sleep(seconds)

    async def _take_turn(self, queue: Queue) -> None:
        """Wait until the webhook's next message may begin."""
        # All failing webhooks take turns as one store.
        turn = queue.webhook.store_id if queue.webhook.failing_since is None else None
        async with self._turns[turn]:
            async with self._turn:
                await asyncio.sleep(_REST_SECONDS)
            self._charge(turn)
            await asyncio.sleep(self._rests.get(turn, 0) - time.monotonic())
            is_current = partial(queue.is_current, self._session)
            if queue.webhook.paused or not await self._in_database(is_current):
                raise asyncio.CancelledError  # the queue ends at the next exchange
        wait = (queue.resumes_at - now()) / 1000
        await asyncio.sleep(max(wait, 0))  # which ends here if the queue is stopped
        self._charge(turn)
        RECEIVED.set(partial(self._charge, turn))
        if wait > 0:
            await self._take_turn(queue)

    def _charge(self, turn: object) -> None:
        """The work since the last call was for that call's turn, which rests for it."""
        (at, worked), self._began = self._began, (time.monotonic(), time.thread_time())
        self._rests = {key: until for key, until in self._rests.items() if until > at}
        self._rests.setdefault(self._payer, at)
        # Those that rest at the same time work together as much as one.
        self._rests[self._payer] += _RESTS * (self._began[1] - worked) * len(self._rests)
        self._payer = turn


class _DaemonThreads(ThreadPoolExecutor):
    """An event loop's executor with a thread for each call, such as of a slow resolver."""

    def submit(self, function: Callable[..., Any], /, *given: Any) -> Any:  # type: ignore[override]  # noqa: ANN401
        return run_in_thread(partial(function, *given))  # which the event loop takes as it is
