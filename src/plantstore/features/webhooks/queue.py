"""Messages about a store's events, and the queue of a webhook's pending messages.

Invariants: changes to one plant are sent one after another, in order; any process can continue from
the webhook's row.
"""

import random
from collections.abc import Callable, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from plantstore.core.clock import DAY_MS, now, write_time
from plantstore.core.logs import administration_logger
from plantstore.core.model import Plant
from plantstore.features.webhooks.webhooks import Delivery, Webhook, log_deliveries
from plantstore.sql.administration.audit import Actor, write_audit
from plantstore.sql.session import Session

RESYNC = "store.resync"  # events up to this revision are missing
_MAX_BEGUN = 8
_MAX_WAITING = 200
_MAX_READ = 200
_PAUSE_MS = 5 * DAY_MS
_GONE = 410

Read = Callable[[int, str, int, int], Sequence["Message"]]  # ``read_messages`` in a session


class Message(Struct):
    """A message about a store; a test has the revision 0; only an event has a plant.

    ``attempts`` counts the attempts begun; ``due`` is the time of the next, None while in flight.
    """

    type: str
    revision: int
    at: int
    body: bytes
    plant_id: int | None = None
    tag: str | None = None
    attempts: int = 0
    due: int | None = 0


def make_message(
    kind: str, store: str, revision: int = 0, at: int | None = None, **plant: object
) -> Message:
    """Make a message; fields of None are omitted."""
    at = at or now()
    data = {"store": store, "revision": revision or None, **plant}
    data = {name: value for name, value in data.items() if value is not None}
    body = msgspec.json.encode({"type": kind, "timestamp": write_time(at), "data": data})
    return Message(kind, revision, at, body)


def read_messages(
    session: Session, store_id: int, store: str, after: int, last: int
) -> list[Message]:
    """Messages about the next events after a revision, up to ``last``.

    If events before these are missing, the first message says so.
    """
    rows = session.query("read_changes", store_id, after, min(last - after, _MAX_READ))
    gap = (rows[0][0] if rows else last + 1) - 1
    messages = [make_message(RESYNC, store, gap)] if gap > after else []
    for revision, kind, plant_id, at, user, name, tag in rows:
        is_update = kind == "plant.updated"
        former = session.query("find_former", store_id, plant_id, revision) if is_update else ()
        plant = {"id": plant_id, "id_text": str(plant_id), "name": name, "tag": tag, "by": user}
        previous = next((Plant(*contents) for contents in former), None)
        message = make_message(kind, store, revision, at, **plant, previous=previous)
        messages.append(replace(message, plant_id=plant_id, tag=tag))
    return messages


class Queue:
    """The messages that a webhook has not accepted yet.

    At most eight are begun: others wait while eight are in flight or were refused.
    """

    def __init__(self, webhook: Webhook, delays: Sequence[float], read: Read) -> None:
        self.webhook = self._saved = webhook
        self.waiting: dict[int, Message] = {}  # by revision, in order
        self.is_changed = False
        self._delays = delays
        self._log: list[Delivery] = []  # not yet saved
        self._not_before = 0
        self._read, retries = webhook.decode_progress()
        for revision, attempts, due in retries:
            message, *_ = read(webhook.store_id, webhook.store, revision - 1, revision)
            self._add(message, attempts, due)

    def follows(self, webhook: Webhook) -> bool:
        """Whether the row is as it was saved; else an owner has changed it."""
        return webhook == self._saved._replace(revision=webhook.revision)

    def fill(self, revision: int, read: Read) -> None:
        """Queue the next messages, up to this revision."""
        if self._read < revision and len(self.waiting) < _MAX_WAITING:
            self.is_changed = True
            for message in read(self.webhook.store_id, self.webhook.store, self._read, revision):
                self._read = message.revision
                self._add(message)

    def _add(self, message: Message, attempts: int = 0, due: int = 0) -> None:
        is_of_tag = self.webhook.tag in (None, message.tag)
        if message.type == RESYNC or (message.type in self.webhook.events and is_of_tag):
            self.waiting[message.revision] = replace(message, attempts=attempts, due=due)

    def _is_full(self) -> bool:
        return sum(message.attempts > 0 for message in self.waiting.values()) >= _MAX_BEGUN

    def take(self) -> Message | None:
        """The next message that may be sent now; it is then in flight."""
        moment, blocked = now(), set()
        if self.webhook.paused or moment < self._not_before:
            return None
        is_full = self._is_full()
        for message in self.waiting.values():
            is_due = message.due is not None and message.due <= moment
            if is_due and message.plant_id not in blocked and (message.attempts or not is_full):
                message.attempts, message.due = message.attempts + 1, None
                return message
            blocked.add(message.plant_id)
        return None

    def record(self, message: Message, delivery: Delivery, wait: float) -> None:
        """Record the result of a message, and the seconds that the receiver asked to wait."""
        self.is_changed = True
        if not delivery.is_accepted:
            delivery = self._reschedule(message, delivery, wait)
        else:
            if message.attempts > 1 and self._is_full():
                for other in self.waiting.values():  # retry refused messages at once
                    other.due = None if other.due is None else 0
            self.webhook = self.webhook._replace(failing_since=None)
            del self.waiting[message.revision]
        self._log.append(delivery)

    def _reschedule(self, message: Message, delivery: Delivery, wait: float) -> Delivery:
        """Schedule a message's next attempt, or pause; returns the delivery with that time."""
        at, paused = now(), self.webhook.paused
        since = self.webhook.failing_since or at
        delay = self._delays[: message.attempts][-1] * random.uniform(1, 1.2)  # noqa: S311 - no secret
        message.due = at + int(1000 * max(delay, wait))
        if wait:
            self._not_before = message.due
        if delivery.status == _GONE:
            paused = "the receiver responded 410 Gone"
        elif at - since >= _PAUSE_MS:
            last = delivery.status or delivery.response
            paused = f"no message was accepted for 5 days; the last response was {last}"
        self.webhook = self.webhook._replace(failing_since=since, paused=paused)
        return delivery if paused else delivery._replace(next_at=message.due)

    def save(self, session: Session) -> None:
        """Log the deliveries, and save the progress."""
        delivered = next(iter(self.waiting), self._read + 1) - 1
        retries = [(each.revision, each.attempts, each.due or 0) for each in self.waiting.values()]
        self.webhook = self._saved = row = self.webhook.with_progress(
            self._read, retries, delivered=delivered
        )
        session.query("save_webhook", *row[:-2])
        log_deliveries(session, row, self._log)
        self._log, self.is_changed = [], False
        if row.paused:
            about = {"webhook_id": row.id, "reason": row.paused}
            actor = Actor("", name="plantstore")
            write_audit(session, actor, "webhook pause", row.store, None, **about)
            extra = {"fields": {"store_id": row.store_id, **about}}
            administration_logger().warning("webhook paused", extra=extra)
