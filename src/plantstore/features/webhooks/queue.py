"""Messages about a store's events, and the queue of those that a webhook still has to get.

Invariants: changes of one plant are sent one after another, in their order; what the row of the
webhook says is enough to go on, in any process.
"""

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from plantstore.core.clock import DAY_MS, now, write_time
from plantstore.core.logs import administration_logger
from plantstore.core.model import Plant
from plantstore.features.webhooks.webhooks import Delivery, Webhook, log_deliveries
from plantstore.sql.administration.audit import Actor, write_audit
from plantstore.sql.session import Session

RESYNC = "store.resync"  # events up to its revision are missing
MAX_SENDING = 8
_MAX_WAITING = 200
_MAX_READ = 200
_PAUSE_MS = 5 * DAY_MS
_GONE = 410
_JITTER = 1.0, 1.2
_ACTOR = Actor("", name="plantstore")

Read = Callable[[int, str, int, int], Sequence["Message"]]  # ``read_messages`` in a session


class Message(NamedTuple):
    """A message about a store; a test is about no revision (0), only an event has a plant."""

    type: str
    revision: int
    at: int
    body: bytes
    plant_id: int | None = None
    tag: str | None = None


def make_message(
    kind: str, store: str, revision: int = 0, at: int | None = None, **plant: object
) -> Message:
    """A message; fields that are None are omitted."""
    at = at or now()
    data = {"store": store, "revision": revision or None, **plant}
    data = {name: value for name, value in data.items() if value is not None}
    body = msgspec.json.encode({"type": kind, "timestamp": write_time(at), "data": data})
    return Message(kind, revision, at, body)


def read_messages(
    session: Session, store_id: int, store: str, after: int, last: int
) -> list[Message]:
    """The messages about the first of the events after a revision, up to the ``last``.

    If events before them are missing, the first message says so.
    """
    rows = session.query("read_changes", store_id, after, min(last - after, _MAX_READ))
    gap = (rows[0][0] if rows else last + 1) - 1
    messages = [make_message(RESYNC, store, gap)] if gap > after else []
    for revision, kind, plant_id, name, tag, at, user in rows:
        is_update = kind == "plant.updated"
        former = session.query("find_former", store_id, plant_id, revision) if is_update else ()
        previous = next((Plant(*contents) for contents in former), None)
        plant = {"id": plant_id, "id_text": str(plant_id), "name": name, "tag": tag}
        message = make_message(kind, store, revision, at, **plant, previous=previous, by=user)
        messages.append(message._replace(plant_id=plant_id, tag=tag))
    return messages


class Queue:
    """The messages of a webhook, from those that it has not accepted yet.

    A receiver that has refused as many in a row as it may get at once gets no others until it has
    accepted one of them.
    """

    def __init__(self, webhook: Webhook, delays: Sequence[float], read: Read) -> None:
        self.webhook = self._saved = webhook
        self.waiting: dict[int, Message] = {}  # by revision, in order
        self.refused: dict[int, tuple[int, int]] = {}  # how often, and when each is due again
        self.is_changed = False
        self._delays = delays
        self._sending: set[int | None] = set()  # plants
        self._log: list[Delivery] = []  # not saved yet
        self._not_before = 0
        self._sent, unaccepted = webhook.decode_progress()
        self._read = self._sent  # the revision up to which events were read
        for revision, attempts, due in unaccepted:
            message, *_ = read(webhook.store_id, webhook.store, revision - 1, revision)
            if self._is_wanted(message):  # else an owner has changed that
                self.waiting[message.revision] = message
                if attempts:
                    self.refused[message.revision] = attempts, due

    def follows(self, webhook: Webhook) -> bool:
        """Whether the row is as it was saved: else an owner has changed it."""
        return webhook == self._saved._replace(revision=webhook.revision)

    def fill(self, revision: int, read: Read) -> None:
        """Queue the next messages that the webhook wants, up to this revision."""
        if self._read < revision and len(self.waiting) < _MAX_WAITING:
            self.is_changed = True
            for message in read(self.webhook.store_id, self.webhook.store, self._read, revision):
                self._read = message.revision
                if self._is_wanted(message):
                    self.waiting[message.revision] = message

    def _is_wanted(self, message: Message) -> bool:
        is_of_tag = self.webhook.tag in (None, message.tag)
        return message.type == RESYNC or (message.type in self.webhook.events and is_of_tag)

    def take(self) -> Message | None:
        """The next message that may be sent now."""
        moment, blocked = now(), set(self._sending)
        is_refusing = self._is_refusing(len(blocked))
        if self.webhook.paused or moment < self._not_before or len(blocked) >= MAX_SENDING:
            return None
        for revision, message in self.waiting.items():
            attempts, due = self.refused.get(revision, (0, 0))
            if message.plant_id not in blocked and due <= moment and (attempts or not is_refusing):
                self._sending.add(message.plant_id)
                self._sent = max(self._sent, revision)
                return message
            blocked.add(message.plant_id)
        return None

    def _is_refusing(self, in_flight: int = 0) -> bool:
        is_failing = self.webhook.failing_since is not None
        return is_failing and len(self.refused) + in_flight >= MAX_SENDING

    def note(self, message: Message, delivery: Delivery, wait: float) -> None:
        """Note what came of a message, and how many seconds the receiver asks to wait."""
        self.is_changed = True
        self._sending.discard(message.plant_id)
        if not delivery.is_accepted:
            delivery = self._put_off(message.revision, delivery, wait)
        else:
            if self._is_refusing():  # it is back: nothing need wait longer
                self.refused = {key: (attempts, 0) for key, (attempts, _) in self.refused.items()}
            self.webhook = self.webhook._replace(failing_since=None)
            self.refused.pop(message.revision, None)
            del self.waiting[message.revision]
        self._log.append(delivery)

    def _put_off(self, revision: int, delivery: Delivery, wait: float) -> Delivery:
        """Schedule a message's next attempt, or pause; returns the delivery with that time."""
        (attempts, _), at = self.refused.get(revision, (0, 0)), now()
        delay = self._delays[: attempts + 1][-1] * random.uniform(*_JITTER)  # noqa: S311 - no secret
        due, since = at + int(1000 * max(delay, wait)), self.webhook.failing_since or at
        self.refused[revision] = attempts + 1, due
        paused = self.webhook.paused
        if delivery.status == _GONE:
            paused = "the receiver responded 410 Gone"
        elif at - since >= _PAUSE_MS:
            last = delivery.status or delivery.response
            paused = f"no message was accepted for 5 days; the last response was {last}"
        elif wait:
            self._not_before = due
        self.webhook = self.webhook._replace(failing_since=since, paused=paused)
        return delivery if paused else delivery._replace(next_at=due)

    def save(self, session: Session) -> None:
        """Log what was sent, and save what came of it, unless an owner has changed the webhook."""
        delivered = next(iter(self.waiting), self._read + 1) - 1
        self._sent = max(self._sent, delivered)
        unaccepted = [revision for revision in self.waiting if revision <= self._sent]
        states = [(revision, *self.refused.get(revision, (0, 0))) for revision in unaccepted]
        progress = msgspec.json.encode((self._sent, states)).decode()
        before = self._saved
        self._saved = row = self.webhook._replace(delivered=delivered, progress=progress)
        state = (delivered, row.failing_since, row.paused, progress, before.progress)
        session.query("save_progress", *row.place, *state)
        if self._log:
            log_deliveries(session, row.place, self._log)
        self._log, self.is_changed = [], False
        if row.paused:
            about = {"webhook_id": row.id, "reason": row.paused}
            write_audit(session, _ACTOR, "webhook pause", row.store, None, **about)
            extra = {"fields": {"store_id": row.store_id, **about}}
            administration_logger().warning("webhook paused", extra=extra)
