"""A store's webhooks and the log of what was sent, as rows have them and as clients see them.

Invariant: each event up to ``delivered`` has reached the receiver. It begins with the store's
revision when the webhook is made, and only grows.
"""

import os
import re
import time
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Annotated, Any, Literal, NamedTuple, get_args

import msgspec
from msgspec import Meta, Struct

from plantstore.core.clock import now, write_time
from plantstore.core.errors import (
    InvalidChangeError,
    NoSuchDeliveryError,
    NoSuchWebhookError,
    RequestError,
    TooMuchAccessError,
)
from plantstore.core.logs import administration_logger
from plantstore.core.model import TEXT_LENGTHS, broken_rule
from plantstore.core.settings import Settings
from plantstore.databases import reading
from plantstore.features.access.http.bodies import Text
from plantstore.features.webhooks import WebhookSettings
from plantstore.features.webhooks.messages import (
    Message,
    make_message,
    make_secret,
    read_message,
    reveal_secret,
)
from plantstore.sql.administration.audit import Actor, write_audit
from plantstore.sql.checks import Check
from plantstore.sql.session import Queries, Session

_MAX_WEBHOOKS = 20
_MISSING = "webhooks need: pip install 'plantstore[webhooks]'"
_MAX_DELIVERIES = 100
_ACTOR = Actor("", name="plantstore")
_WEEK_US = 7 * 24 * 3600 * 10**6
_URL = re.compile(
    r"(https://([^/?#@:\[\]]+|\[[0-9a-fA-F:.]+\])|http://(localhost|127\.0\.0\.1|\[::1\]))"
    r"(:[1-9][0-9]{0,4})?([/?][^#]*)?\Z"
)
_HIDDEN = frozenset({"store_id", "store", "secret", "old_secret", "rotated_at", "progress"})
_TIMES = frozenset({"created_at", "failing_since", "at", "next_at"})

Kind = Literal["plant.created", "plant.updated", "plant.deleted"]
KINDS: tuple[str, ...] = get_args(Kind)
Record = dict[str, Any]  # what clients see; fields that do not apply are omitted


class Target(Struct, frozen=True):
    """What is sent to a webhook, and where: the body that creates or replaces it."""

    url: Text
    events: Annotated[
        list[Kind] | None,
        Meta(description="an array of plant.created, plant.updated and plant.deleted, or null"),
    ] = None
    tag: Annotated[str | None, Meta(description="a string, or null")] = None
    description: Text = ""
    paused: Annotated[bool, Meta(description="true or false")] = False

    def check(self, settings: WebhookSettings) -> tuple[str, str, str | None, str]:
        """The fields for the webhook's row; no events mean all.

        :raises InvalidChangeError: a field is not valid.
        """
        if not _URL.match(self.url):
            reason = "url must be such as https://example.com/plants; http leads to localhost alone"
            raise InvalidChangeError(reason=reason)
        if self.url.startswith("http:") and not settings.webhook_allow_private:
            reason = "url must begin with https://: webhook_allow_private is not set"
            raise InvalidChangeError(reason=reason)
        lengths = {"url": (2000,), "description": (256, 0), "tag": TEXT_LENGTHS["tag"]}
        for name, bounds in lengths.items():
            if rule := broken_rule(getattr(self, name) or "", *bounds):
                raise InvalidChangeError(reason=f"{name} {rule}")
        kinds = " ".join(kind for kind in KINDS if kind in (self.events or KINDS))
        return self.url, kinds, self.tag, self.description


Place = tuple[int, str]  # the key of a webhook's row


class Webhook(NamedTuple):
    """A webhook's row, with the revision and the name of its store."""

    store_id: int
    id: str
    url: str
    events: str
    tag: str | None
    description: str
    secret: str
    old_secret: str | None
    rotated_at: int | None
    created_at: int
    delivered: int
    failing_since: int | None
    paused: str | None
    progress: str
    revision: int
    store: str

    @property
    def place(self) -> Place:
        return self.store_id, self.id

    @property
    def source(self) -> tuple[int, str]:
        """The store whose events it is sent, and its name."""
        return self.store_id, self.store


class Delivery(NamedTuple):
    """An attempt, by its time in microseconds; ``next_at`` is when there is another one."""

    number: int
    type: str
    revision: int | None
    status: int | None
    duration_ms: int
    response: str
    next_at: int | None = None


def describe(row: Webhook | Delivery) -> Record:
    """As clients see it."""
    fields = row._asdict()
    if isinstance(row, Webhook):
        fields["events"] = row.events.split()
    else:
        fields["at"] = row.number // 1000
    return {
        name: write_time(value) if name in _TIMES else value
        for name, value in fields.items()
        if value is not None and name not in _HIDDEN
    }


def list_webhooks(session: Queries, store_id: int) -> list[Webhook]:
    """The store's webhooks, the oldest first."""
    return [Webhook(*row) for row in session.query("list_webhooks", store_id)]


def find_webhook(session: Queries, store_id: int, webhook_id: str) -> Webhook:
    """The webhook with this id.

    :raises NoSuchWebhookError: there is none.
    """
    for webhook in list_webhooks(session, store_id):
        if webhook.id == webhook_id:
            return webhook
    raise NoSuchWebhookError(webhook_id=webhook_id)


def check(settings: Settings) -> Iterator[Check]:
    """Whether the webhooks that there are can be delivered, for ``plantstore check``."""
    with reading(settings.database) as reader:
        if reader.query("find_any_webhook"):
            ok = find_spec("aiohttp") is not None
            yield Check("webhooks", ok=ok, detail="webhooks can be delivered" if ok else _MISSING)


def create_webhook(
    session: Queries, store_id: int, target: Target, *, settings: WebhookSettings
) -> Record:
    """A webhook with its secret; it gets all events from now on.

    :raises PlantStoreError: there are too many, or it is not valid.
    """
    if find_spec("aiohttp") is None:
        raise InvalidChangeError(reason=_MISSING)
    if len(list_webhooks(session, store_id)) >= _MAX_WEBHOOKS:
        raise TooMuchAccessError(things="webhooks")
    webhook_id, key = os.urandom(8).hex(), settings.webhook_key
    row = (*target.check(settings), make_secret(key), now())
    session.query("insert_webhook", store_id, webhook_id, *row)
    return _show_secret(session, store_id, webhook_id, key)


def rotate_webhook(session: Queries, store_id: int, webhook_id: str, *, key: str | None) -> Record:
    """Give a webhook a new secret; for a day messages are signed with the old one too."""
    session.query("rotate_webhook", store_id, webhook_id, make_secret(key), now())
    return _show_secret(session, store_id, webhook_id, key)


def _show_secret(session: Queries, store_id: int, webhook_id: str, key: str | None) -> Record:
    webhook = find_webhook(session, store_id, webhook_id)
    return describe(webhook) | {"secret": reveal_secret(webhook.secret, key)}


def change_webhook(
    session: Queries, store_id: int, webhook_id: str, target: Target, *, settings: WebhookSettings
) -> Record:
    """Replace all fields; without ``paused`` it is resumed."""
    session.query("change_webhook", store_id, webhook_id, *target.check(settings))
    reason = "paused by an owner" if target.paused else None
    return set_paused(session, store_id, webhook_id, reason=reason)


def set_paused(session: Queries, store_id: int, webhook_id: str, *, reason: str | None) -> Record:
    """Pause a webhook, or without a reason resume it, as if nothing had been refused."""
    progress = find_webhook(session, store_id, webhook_id).progress
    if progress:
        sent, waiting = msgspec.json.decode(progress)
        progress = msgspec.json.encode((sent, [(item[0], 0, 0) for item in waiting])).decode()
    session.query("set_paused", store_id, webhook_id, reason, progress)
    return describe(find_webhook(session, store_id, webhook_id))


def delete_webhook(session: Queries, store_id: int, webhook_id: str) -> Record:
    """Delete a webhook, with its log; as it was."""
    record = describe(find_webhook(session, store_id, webhook_id))
    session.query("delete_webhook", store_id, webhook_id)
    return record


def list_deliveries(session: Queries, store_id: int, webhook_id: str) -> list[Delivery]:
    """The last attempts, the newest first.

    :raises NoSuchWebhookError: there is no such webhook.
    """
    place = find_webhook(session, store_id, webhook_id).place
    return [Delivery(*row) for row in session.query("list_deliveries", *place, _MAX_DELIVERIES)]


def log_deliveries(session: Session, webhook: Webhook, deliveries: list[Delivery]) -> None:
    """Add attempts to the log, and remove what is too old or too much; within a transaction."""
    session.write_rows("insert_delivery", [(*webhook.place, *row) for row in deliveries])
    oldest = time.time_ns() // 1000 - _WEEK_US
    session.query("delete_old_deliveries", *webhook.place, oldest, _MAX_DELIVERIES)


def save_progress(
    session: Session, before: Webhook, after: Webhook, deliveries: list[Delivery]
) -> None:
    """Log attempts, and save what came of them, unless an owner has resumed the webhook."""
    if deliveries:
        log_deliveries(session, after, deliveries)
    state = (after.delivered, after.failing_since, after.paused, after.progress)
    session.query("save_progress", *after.place, *state, before.progress)
    if reason := after.paused:
        about = {"webhook_id": after.id, "reason": reason}
        write_audit(session, _ACTOR, "webhook pause", after.store, None, **about)
        extra = {"fields": {"store_id": after.store_id, **about}}
        administration_logger().warning("webhook paused", extra=extra)


def find_message(
    session: Queries, store_id: int, webhook_id: str, number: str | None = None
) -> tuple[Webhook, Message]:
    """The message of the attempt with this number; without one a test.

    :raises PlantStoreError: there is no such webhook or attempt, or its event is trimmed.
    """
    webhook = find_webhook(session, store_id, webhook_id)
    if number is None:
        return webhook, make_message("webhook.test", webhook.store)
    for delivery in list_deliveries(session, store_id, webhook_id):
        if str(delivery.number) == number:
            break
    else:
        raise NoSuchDeliveryError(number=number)
    if delivery.revision is None or delivery.type not in KINDS:
        return webhook, make_message(delivery.type, webhook.store, delivery.revision)
    message = read_message(session, *webhook.source, delivery.revision)
    if message is None:
        raise RequestError(41001, after=delivery.revision - 1)
    return webhook, message
