"""A store's webhooks, as owners and commands change them, and the log of what was sent.

Invariant: all events up to ``delivered`` have reached the receiver; it begins with the store's
revision when the webhook is made, and only grows.
"""

import os
import time
from importlib.util import find_spec
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from plantstore.core.clock import now, write_time
from plantstore.core.errors import (
    InvalidChangeError,
    NoSuchDeliveryError,
    NoSuchWebhookError,
    TooMuchAccessError,
)
from plantstore.core.model import TEXT_LENGTHS, broken_rule
from plantstore.features.access.http.tokens import write_optional_time
from plantstore.sql.session import Queries, Session

KINDS = ("plant.created", "plant.updated", "plant.deleted")
MAX_WEBHOOKS = 20
MAX_DELIVERIES = 100
_WEEK_US = 7 * 24 * 3600 * 10**6

Record = dict[str, object]  # what clients see; what does not apply is left out
Progress = tuple[int, int | None, str | None]  # what ``save_progress`` saves


class Webhook(NamedTuple):
    """A webhook, as its row has it, with the revision and the name of its store."""

    store_id: int
    webhook_id: str
    url: str
    kinds: str
    tag: str | None
    description: str
    secret: str
    old_secret: str | None
    rotated_at: int | None
    created_at: int
    delivered: int
    failing_since: int | None
    paused: str | None
    revision: int
    store: str

    @property
    def place(self) -> tuple[int, str]:
        """The key of its row."""
        return self.store_id, self.webhook_id

    def describe(self, secret: str | None = None) -> Record:
        """As clients see it."""
        return _make_record(
            id=self.webhook_id,
            url=self.url,
            events=self.kinds.split() or list(KINDS),
            tag=self.tag,
            description=self.description,
            created_at=write_time(self.created_at),
            delivered=self.delivered,
            revision=self.revision,
            failing_since=write_optional_time(self.failing_since),
            paused=self.paused,
            secret=secret,
        )


class Delivery(NamedTuple):
    """An attempt, by its time in microseconds; ``duration`` and ``next_at`` are milliseconds."""

    number: int
    kind: str
    revision: int | None
    status: int | None
    duration: int
    response: str
    next_at: int | None = None

    def describe(self) -> Record:
        """As clients see it."""
        return _make_record(
            number=self.number,
            at=write_time(self.number // 1000),
            type=self.kind,
            revision=self.revision,
            status=self.status,
            duration_ms=self.duration,
            response=self.response,
            next_at=write_optional_time(self.next_at),
        )


def _make_record(**fields: object) -> Record:
    return {name: value for name, value in fields.items() if value is not None}


def list_webhooks(session: Queries, store_id: int) -> list[Webhook]:
    """The store's webhooks, the oldest first."""
    return [Webhook(*row) for row in session.query("list_webhooks", store_id)]


def find_webhook(session: Queries, store_id: int, webhook_id: str) -> Webhook:
    """The webhook with this id.

    :raises NoSuchWebhookError: there is none.
    """
    for webhook in list_webhooks(session, store_id):
        if webhook.webhook_id == webhook_id:
            return webhook
    raise NoSuchWebhookError(webhook_id=webhook_id)


def create_webhook(session: Queries, store_id: int, secret: str, **target: Any) -> Webhook:  # noqa: ANN401 - as in check
    """A webhook that is told what happens from now on.

    :raises PlantStoreError: there are too many, or this one cannot be.
    """
    if find_spec("aiohttp") is None:
        raise InvalidChangeError(reason="webhooks need: pip install 'plantstore[webhooks]'")
    if len(list_webhooks(session, store_id)) >= MAX_WEBHOOKS:
        raise TooMuchAccessError(things="webhooks")
    webhook_id = os.urandom(8).hex()
    session.query("insert_webhook", store_id, webhook_id, *check(**target), secret, now())
    return find_webhook(session, store_id, webhook_id)


def rotate_webhook(session: Queries, webhook: Webhook, secret: str) -> Webhook:
    """Give a webhook a new secret; for a day messages are signed with the old one too."""
    session.query("rotate_webhook", *webhook.place, secret, now())
    return find_webhook(session, *webhook.place)


def list_deliveries(session: Queries, webhook: Webhook) -> list[Delivery]:
    """The last attempts, the newest first."""
    rows = session.query("list_deliveries", *webhook.place, MAX_DELIVERIES)
    return [Delivery(*row) for row in rows]


def find_delivery(session: Queries, webhook: Webhook, number: str) -> Delivery:
    """The attempt with this number.

    :raises NoSuchDeliveryError: it is not in the log.
    """
    for delivery in list_deliveries(session, webhook):
        if str(delivery.number) == number:
            return delivery
    raise NoSuchDeliveryError(number=number)


def log_deliveries(session: Session, webhook: Webhook, deliveries: list[Delivery]) -> None:
    """Add attempts to the log, and remove what is too old or too much; within a transaction."""
    session.write_rows("insert_delivery", [(*webhook.place, *one) for one in deliveries])
    oldest = time.time_ns() // 1000 - _WEEK_US
    session.query("delete_old_deliveries", *webhook.place, oldest, MAX_DELIVERIES)


def check(
    *, url: str, kinds: tuple[str, ...], tag: str | None, description: str
) -> tuple[str, str, str | None, str]:
    """What a webhook is told and where, as its row has it; no kinds mean all.

    :raises InvalidChangeError: it cannot be so.
    """
    try:
        parts = urlsplit(url)
        is_url = bool(parts.scheme in ("https", "http") and parts.hostname and parts.port != 0)
        is_url = is_url and parts.username is None and "#" not in url
    except ValueError:
        is_url = False
    if not is_url:
        raise InvalidChangeError(reason="url must be such as https://example.com/plants")
    bounds = {"url": (url, 2000, 1), "description": (description, 256, 0)}
    bounds["tag"] = (tag or "", *TEXT_LENGTHS["tag"])
    for name, bound in bounds.items():
        if rule := broken_rule(*bound):
            raise InvalidChangeError(reason=f"{name} {rule}")
    return url, " ".join(kind for kind in KINDS if kind in kinds), tag, description
