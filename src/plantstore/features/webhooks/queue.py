"""The messages that a webhook still has to get, in order, and those in flight.

Invariants: changes of one plant are sent one after another, in their order; what the row of the
webhook says is enough to go on, in any process.
"""

import random
from collections.abc import Sequence
from datetime import datetime

import msgspec
from msgspec import Struct

from plantstore.core.clock import DAY_MS, now
from plantstore.features.webhooks.messages import RESYNC, Message, make_message, read_message
from plantstore.features.webhooks.webhooks import Delivery, Webhook
from plantstore.sql.session import Queries

MAX_SENDING = 8
_MAX_WAITING = 200
_PAUSE_MS = 5 * DAY_MS
_GONE = 410
_JITTER = 1.0, 1.2


class Waiting(Struct):
    """A message that was not accepted yet: how often it was refused, and when it is due again."""

    message: Message
    attempts: int = 0
    due: int = 0


class Queue:
    """The messages of a webhook, from those that it has not accepted yet.

    A receiver that has refused as many in a row as it may get at once gets these again one by one,
    and no others until it has accepted one of them.
    """

    def __init__(self, webhook: Webhook, delays: Sequence[float], session: Queries) -> None:
        self.webhook = webhook
        self.log: list[Delivery] = []  # not saved yet
        self.is_changed = False
        self._delays = delays
        self._waiting: dict[int, Waiting] = {}  # by revision, in order
        self._sending: set[int | None] = set()  # plants
        self.failing_since = webhook.failing_since
        self._paused: str | None = None
        self._not_before = 0
        # The revisions up to which all but what waits has arrived, and up to which events are read.
        self._sent = self.read = webhook.delivered
        if webhook.progress:
            self._sent, waiting = msgspec.json.decode(webhook.progress)
            self.read = self._sent
            for revision, *state in waiting:
                message = read_message(session, *webhook.source, revision)
                message = message or make_message(RESYNC, webhook.store, revision)
                if self._is_wanted(message):  # else an owner has changed that
                    self._waiting[revision] = Waiting(message, *state)
        if self._is_refusing():
            self._not_before = max(waiting.due for waiting in self._waiting.values())

    @property
    def row(self) -> Webhook:
        """The new contents of the webhook's row."""
        delivered, progress = next(iter(self._waiting), self.read + 1) - 1, ""
        if self.is_failing:
            waiting = [(key, item.attempts, item.due) for key, item in self._waiting.items()]
            sent = [row for row in waiting if row[0] <= self._sent]
            progress = msgspec.json.encode((self._sent, sent)).decode()
        row = self.webhook._replace(delivered=delivered, progress=progress)
        return row._replace(failing_since=self.failing_since, paused=self._paused)

    @property
    def is_failing(self) -> bool:
        """Whether a message that was refused waits."""
        return any(waiting.attempts for waiting in self._waiting.values())

    @property
    def is_full(self) -> bool:
        """Whether no more events are to be read for now."""
        return len(self._waiting) >= _MAX_WAITING

    @property
    def delay(self) -> float:
        """For how many seconds the first change waits."""
        for waiting in self._waiting.values():
            return now() / 1000 - datetime.fromisoformat(waiting.message.timestamp).timestamp()
        return 0.0

    def follows(self, webhook: Webhook) -> bool:
        """Whether the row is as it was saved: else an owner has changed it."""
        return webhook == self.webhook._replace(revision=webhook.revision)

    def add(self, messages: Sequence[Message], revision: int) -> None:
        """Queue the next messages, as far as the webhook wants them.

        Events before the first of them, or without any up to the ``revision``, are missing.
        """
        self.is_changed = True
        first = messages[0].data.revision if messages else None
        gap = (first or revision + 1) - 1
        if gap > self.read:
            self._waiting[gap] = Waiting(make_message(RESYNC, self.webhook.store, gap))
            self.read = gap
        for message in messages:
            self.read = message.data.revision or 0
            if self._is_wanted(message):
                self._waiting[self.read] = Waiting(message)

    def _is_wanted(self, message: Message) -> bool:
        webhook = self.webhook
        is_of_tag = webhook.tag in (None, message.data.tag)
        return message.type == RESYNC or (message.type in webhook.events and is_of_tag)

    def take(self) -> Message | None:
        """The next message that may be sent now."""
        time_, blocked = now(), set(self._sending)
        if self._paused or time_ < self._not_before:
            return None
        if len(blocked) >= (1 if self._is_refusing() else MAX_SENDING):
            return None
        is_refusing = self._is_refusing(in_flight=len(blocked))
        for revision, waiting in self._waiting.items():
            plant_id = waiting.message.data.id
            is_new = not waiting.attempts
            if plant_id not in blocked and waiting.due <= time_ and not (is_refusing and is_new):
                self._sending.add(plant_id)
                self._sent = max(self._sent, revision)
                return waiting.message
            blocked.add(plant_id)
        return None

    def note(self, message: Message, delivery: Delivery, wait: float) -> None:
        """Note the response, and how long the receiver asks to wait."""
        self._sending.discard(message.data.id)
        revision = delivery.revision or 0
        if delivery.status is None or not 200 <= delivery.status < 300:  # noqa: PLR2004 - as HTTP has it
            delivery = self._put_off(self._waiting[revision], delivery, wait)
        else:
            if self._is_refusing():  # it is back: nothing need wait longer
                self._not_before = 0
                for waiting in self._waiting.values():
                    waiting.due = 0
            self.failing_since = None
            del self._waiting[revision]
        self.log.append(delivery)
        self.is_changed = True

    def _is_refusing(self, in_flight: int = 0) -> bool:
        if self.failing_since is None:
            return False
        refused = sum(waiting.attempts > 0 for waiting in self._waiting.values())
        return refused + in_flight >= MAX_SENDING

    def _put_off(self, waiting: Waiting, delivery: Delivery, wait: float) -> Delivery:
        """Schedule a message's next attempt, or pause; returns the delivery with that time."""
        delay, at = self._delays[: waiting.attempts + 1][-1], now()
        due = at + int(1000 * max(delay * random.uniform(*_JITTER), wait))  # noqa: S311 - no secret
        waiting.attempts, waiting.due = waiting.attempts + 1, due
        self.failing_since = self.failing_since or at
        if wait or self._is_refusing():
            self._not_before = due
        if delivery.status == _GONE:
            self._paused = "the receiver responded 410 Gone"
        elif at - self.failing_since >= _PAUSE_MS:
            last = delivery.status or delivery.response
            self._paused = f"no message was accepted for 5 days; the last response was {last}"
        return delivery if self._paused else delivery._replace(next_at=due)
