"""A store's webhooks, as owners and commands change them, and the log of what was sent.

Invariant: all events up to ``delivered`` have reached the receiver; it begins with the store's
revision when the webhook is made, and only grows.
"""

import os
import time
from importlib.util import find_spec

from plantstore.core.clock import now
from plantstore.core.errors import (
    InvalidChangeError,
    NoSuchDeliveryError,
    NoSuchWebhookError,
    RequestError,
    TooMuchAccessError,
)
from plantstore.features.webhooks.messages import Message, make_message, read_messages
from plantstore.features.webhooks.records import (
    KINDS,
    Delivery,
    Record,
    Target,
    Webhook,
    make_secret,
    reveal_secret,
)
from plantstore.sql.session import Queries, Session

_MAX_WEBHOOKS = 20
_MAX_DELIVERIES = 100
_WEEK_US = 7 * 24 * 3600 * 10**6


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


def create_webhook(session: Queries, store_id: int, target: Target, *, key: str | None) -> Record:
    """A webhook with its secret, which is sent what happens from now on.

    :raises PlantStoreError: there are too many, or this one cannot be.
    """
    if find_spec("aiohttp") is None:
        raise InvalidChangeError(reason="webhooks need: pip install 'plantstore[webhooks]'")
    if len(list_webhooks(session, store_id)) >= _MAX_WEBHOOKS:
        raise TooMuchAccessError(things="webhooks")
    webhook_id, secret = os.urandom(8).hex(), make_secret(key)
    session.query("insert_webhook", store_id, webhook_id, *target.check(), secret, now())
    record = find_webhook(session, store_id, webhook_id).describe()
    return record | {"secret": reveal_secret(secret, key)}


def change_webhook(session: Queries, store_id: int, webhook_id: str, target: Target) -> Record:
    """Change all that was asked for; without ``paused`` it is resumed."""
    session.query("change_webhook", store_id, webhook_id, *target.check())
    reason = "paused by an owner" if target.paused else None
    return set_paused(session, store_id, webhook_id, reason=reason)


def set_paused(session: Queries, store_id: int, webhook_id: str, *, reason: str | None) -> Record:
    """Pause a webhook, or without a reason resume it, as if it had not failed."""
    session.query("set_paused", store_id, webhook_id, reason)
    return find_webhook(session, store_id, webhook_id).describe()


def rotate_webhook(session: Queries, store_id: int, webhook_id: str, *, key: str | None) -> Record:
    """Give a webhook a new secret; for a day messages are signed with the old one too."""
    secret = make_secret(key)
    session.query("rotate_webhook", store_id, webhook_id, secret, now())
    record = find_webhook(session, store_id, webhook_id).describe()
    return record | {"secret": reveal_secret(secret, key)}


def delete_webhook(session: Queries, store_id: int, webhook_id: str) -> Record:
    """Delete a webhook, with its log; as it was."""
    record = find_webhook(session, store_id, webhook_id).describe()
    session.query("delete_webhook", store_id, webhook_id)
    return record


def list_deliveries(session: Queries, webhook: Webhook) -> list[Delivery]:
    """The last attempts, the newest first."""
    rows = session.query("list_deliveries", *webhook.place, _MAX_DELIVERIES)
    return [Delivery(*row) for row in rows]


def log_deliveries(session: Session, webhook: Webhook, deliveries: list[Delivery]) -> None:
    """Add attempts to the log, and remove what is too old or too much; within a transaction."""
    rows = [(*webhook.place, *delivery) for delivery in deliveries]
    session.write_rows("insert_delivery", rows)
    oldest = time.time_ns() // 1000 - _WEEK_US
    session.query("delete_old_deliveries", *webhook.place, oldest, _MAX_DELIVERIES)


def find_message(
    session: Queries, store_id: int, webhook_id: str, number: str | None = None
) -> tuple[Webhook, Message]:
    """The message of the attempt with this number; without one a test.

    :raises PlantStoreError: there is no such webhook or attempt, or its event is trimmed.
    """
    webhook = find_webhook(session, store_id, webhook_id)
    if number is None:
        return webhook, make_message("webhook.test", webhook.store)
    for delivery in list_deliveries(session, webhook):
        if str(delivery.number) == number:
            break
    else:
        raise NoSuchDeliveryError(number=number)
    if delivery.revision is None or delivery.type not in KINDS:
        return webhook, make_message(delivery.type, webhook.store, delivery.revision)
    after = delivery.revision - 1
    messages = read_messages(session, store_id, webhook.store, after, 1)
    if not messages or messages[0].data.revision != delivery.revision:
        raise RequestError(41001, after=after)
    return webhook, messages[0]
