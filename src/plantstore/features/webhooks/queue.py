"""What one webhook has still to be told, in order, and what is being sent.

Invariants: changes of one plant are sent one after another, in their order; ``delivered`` is a
revision up to which nothing waits.
"""

import asyncio
import random
import time
from collections import deque
from collections.abc import Sequence
from copy import copy

from plantstore.core.clock import now
from plantstore.core.database import Row
from plantstore.features.webhooks.messages import Message, message_of_gap
from plantstore.features.webhooks.webhooks import MAX_DELIVERIES, Delivery, Progress, Webhook

MAX_SENDING = 8
_MAX_WAITING = 200
_GIVE_UP_MS = 5 * 24 * 3600 * 1000
_GONE = 410
_JITTER = 1.0, 1.2


class Queue:
    """The messages of a webhook, from those that it was not told yet.

    A receiver that has refused so many in a row as it may get at once gets no other ones until it
    has accepted one.
    """

    def __init__(self, webhook: Webhook, delays: Sequence[float]) -> None:
        self.webhook = webhook
        self._delays = delays
        self._cursor = webhook.delivered  # the revision up to which events are read
        self._waiting: dict[int, Message] = {}  # by revision, in order
        self._sending: set[int | None] = set()  # plants
        self._failing_since = webhook.failing_since
        self._paused: str | None = None
        self._not_before = 0.0
        self.failures = 0  # in a row
        self.saved: Progress | None = None
        self.log: deque[Delivery] = deque(maxlen=MAX_DELIVERIES)  # not saved yet
        self.tasks: set[asyncio.Task[None]] = set()

    @property
    def progress(self) -> Progress:
        """What is to be saved."""
        delivered = next(iter(self._waiting), self._cursor + 1) - 1
        return delivered, self._failing_since, self._paused

    @property
    def oldest(self) -> int | None:
        """When the first change happened that waits."""
        return next(iter(self._waiting.values())).at if self._waiting else None

    def follows(self, webhook: Webhook) -> bool:
        """Whether it is still the queue of a webhook, which an owner may have changed."""
        mine, other = (
            one._replace(delivered=0, failing_since=None, revision=0)
            for one in (self.webhook, webhook)
        )
        return mine == other

    def find_wanted(self) -> int | None:
        """The revision after which events are to be read, if the store has newer ones."""
        is_full = len(self._waiting) >= _MAX_WAITING
        return None if is_full or self._cursor >= self.webhook.revision else self._cursor

    def add(self, rows: Sequence[Row], messages: Sequence[Message]) -> None:
        """Have the messages of the next events wait, as far as the webhook is to have them."""
        first = rows[0][0] if rows else self.webhook.revision + 1
        if first > self._cursor + 1:
            gap = first - 1
            self._waiting[gap] = message_of_gap(self.webhook.store, gap)
            self._cursor = gap
        kinds, tag = self.webhook.kinds, self.webhook.tag
        for row, message in zip(rows, messages, strict=True):
            self._cursor = row[0]
            if (not kinds or row[1] in kinds) and tag in (None, row[4]):
                self._waiting[row[0]] = copy(message)

    def take(self) -> Message | None:
        """The next message that may be sent now."""
        time_ = time.monotonic()
        if self._paused or len(self._sending) >= MAX_SENDING or time_ < self._not_before:
            return None
        is_refusing = self.failures >= MAX_SENDING
        blocked = set(self._sending)
        for message in self._waiting.values():
            if message.plant_id in blocked:
                continue
            blocked.add(message.plant_id)
            if message.due <= time_ and (message.attempts or not is_refusing):
                self._sending.add(message.plant_id)
                return message
        return None

    def note(self, message: Message, delivery: Delivery, wait: float) -> None:
        """Note what came back, and how long the receiver asks to wait."""
        self._sending.discard(message.plant_id)
        if delivery.status is None or not 200 <= delivery.status < 300:  # noqa: PLR2004 - as HTTP has it
            delivery = self._put_off(message, delivery, wait)
        else:
            del self._waiting[message.revision or 0]
            if self.failures >= MAX_SENDING:  # it is back: what failed need not wait longer
                for other in self._waiting.values():
                    other.due = 0.0
            self.failures, self._failing_since = 0, None
        self.log.append(delivery)

    def _put_off(self, message: Message, delivery: Delivery, wait: float) -> Delivery:
        """Have a message wait for its next attempt, or pause; the attempt, with the next one."""
        message.attempts += 1
        self.failures += 1
        self._failing_since = self._failing_since or now()
        delay = self._delays[min(message.attempts, len(self._delays)) - 1]
        message.due = time.monotonic() + max(delay * random.uniform(*_JITTER), wait)  # noqa: S311 - no secret
        if wait:
            self._not_before = message.due
        if delivery.status == _GONE:
            self._paused = "the receiver responded 410 Gone"
        elif now() - self._failing_since >= _GIVE_UP_MS:
            last = delivery.status or delivery.response
            self._paused = f"no message was accepted for 5 days; the last response was {last}"
        if self._paused:
            return delivery
        return delivery._replace(next_at=now() + int((message.due - time.monotonic()) * 1000))
