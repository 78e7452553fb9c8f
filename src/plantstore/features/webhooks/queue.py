"""What one webhook has still to be sent, in order, and what is in flight.

Invariants: changes of one plant are sent one after another, in their order; ``delivered`` is a
revision up to which nothing waits.
"""

import asyncio
import random
from collections.abc import Iterable, Sequence
from datetime import datetime

from plantstore.core.clock import now
from plantstore.features.webhooks.messages import Message, make_message
from plantstore.features.webhooks.records import Delivery, Webhook

MAX_SENDING = 8
_MAX_WAITING = 200
_PAUSE_MS = 5 * 24 * 3600 * 1000
_GONE = 410
_JITTER = 1.0, 1.2

Progress = tuple[int, int | None, str | None]  # delivered, failing_since, paused


class Queue:
    """The messages of a webhook, from those that it was not sent yet.

    The log says how often they failed, in this process or the one that delivered before. A receiver
    that has refused so many in a row as it may get at once gets no other ones until it has accepted
    one.
    """

    def __init__(self, webhook: Webhook, delays: Sequence[float], log: Iterable[Delivery]) -> None:
        self.webhook = webhook
        self._delays = delays
        self._cursor = webhook.delivered  # the revision up to which events are read
        self._waiting: dict[int, Message] = {}  # by revision, in order
        self._sending: set[int | None] = set()  # plants
        self._failed: dict[int, tuple[int, int]] = {}  # by revision: how often, when it is due
        self._failing_since = webhook.failing_since
        self._paused: str | None = None
        self._not_before = 0
        self.failures = 0  # in a row
        self.saved: Progress = self.progress
        self.log: list[Delivery] = []  # not saved yet
        self.tasks: set[asyncio.Task[None]] = set()
        for delivery in log:
            if delivery.next_at and delivery.at >= (webhook.failing_since or 0):
                self._count(delivery.revision or 0, delivery.next_at)

    @property
    def progress(self) -> Progress:
        """What is to be saved."""
        delivered = next(iter(self._waiting), self._cursor + 1) - 1
        return delivered, self._failing_since, self._paused

    @property
    def delay(self) -> float:
        """For how many seconds the first change waits."""
        for message in self._waiting.values():
            return now() / 1000 - datetime.fromisoformat(message.timestamp).timestamp()
        return 0.0

    def follows(self, webhook: Webhook) -> bool:
        """Whether it is still the queue of a webhook, which an owner may have changed."""
        settings = slice(Webhook._fields.index("delivered"))
        is_same = self.webhook[settings] == webhook[settings]
        return is_same and self.saved[1] == webhook.failing_since

    def find_wanted(self) -> int | None:
        """The revision after which events are to be read, if the store has newer ones."""
        is_full = len(self._waiting) >= _MAX_WAITING
        return None if is_full or self._cursor >= self.webhook.revision else self._cursor

    def add(self, messages: Sequence[Message]) -> None:
        """Have the next messages wait, as far as the webhook is to have them."""
        events, tag = self.webhook.events, self.webhook.tag
        first = messages[0].data.revision if messages else None
        gap = (first or self.webhook.revision + 1) - 1
        if gap > self._cursor:
            self._waiting[gap] = make_message("store.resync", self.webhook.store, gap)
            self._cursor = gap
        for message in messages:
            self._cursor = message.data.revision or 0
            if (not events or message.type in events) and tag in (None, message.data.tag):
                self._waiting[self._cursor] = message

    def take(self) -> Message | None:
        """The next message that may be sent now."""
        time_ = now()
        if self._paused or len(self._sending) >= MAX_SENDING or time_ < self._not_before:
            return None
        blocked = set(self._sending)
        for revision, message in self._waiting.items():
            if message.data.id in blocked:
                continue
            blocked.add(message.data.id)
            _, due = self._failed.get(revision, (0, 0))
            if due <= time_ and (due or self.failures < MAX_SENDING):
                self._sending.add(message.data.id)
                return message
        return None

    def note(self, message: Message, delivery: Delivery, wait: float) -> None:
        """Note what came back, and how long the receiver asks to wait."""
        self._sending.discard(message.data.id)
        revision = delivery.revision or 0
        if delivery.status is None or not 200 <= delivery.status < 300:  # noqa: PLR2004 - as HTTP has it
            delivery = self._put_off(revision, delivery, wait)
        else:
            del self._waiting[revision]
            self._failed.pop(revision, None)
            if self.failures >= MAX_SENDING:  # it is back: what failed need not wait longer
                self._failed.clear()
            self.failures, self._failing_since = 0, None
        self.log.append(delivery)

    def _put_off(self, revision: int, delivery: Delivery, wait: float) -> Delivery:
        """Have a message wait for its next attempt, or pause; the attempt, with the next one."""
        attempts, _ = self._failed.get(revision, (0, 0))
        delay = self._delays[min(attempts, len(self._delays) - 1)]
        due = delivery.at + int(1000 * max(delay * random.uniform(*_JITTER), wait))  # noqa: S311 - no secret
        self._count(revision, due)
        self._failing_since = self._failing_since or delivery.at
        if wait:
            self._not_before = due
        if delivery.status == _GONE:
            self._paused = "the receiver responded 410 Gone"
        elif delivery.at - self._failing_since >= _PAUSE_MS:
            last = delivery.status or delivery.response
            self._paused = f"no message was accepted for 5 days; the last response was {last}"
        return delivery if self._paused else delivery._replace(next_at=due)

    def _count(self, revision: int, due: int) -> None:
        attempts, other = self._failed.get(revision, (0, 0))
        self._failed[revision] = attempts + 1, max(due, other)
        self.failures += 1
