"""Messages as Standard Webhooks 1.0 has them: their ids, bodies, secrets and signatures.

Invariant: the same event has the same id for a webhook, however often it is sent.
"""

import hmac
import os
import time
from base64 import b64decode, b64encode

import msgspec
from msgspec import Struct

from plantstore.core.clock import now, write_time
from plantstore.core.database import Row
from plantstore.core.errors import RequestError, SetupError
from plantstore.features.webhooks.webhooks import KINDS, Delivery, Webhook
from plantstore.sql.session import Queries

_SECRET = "whsec_"  # noqa: S105 - what secrets begin with
_DERIVED = "key_"  # what stands for a secret that is made from the setting webhook_key
_SECRET_BYTES = 32
_DAY_MS = 24 * 3600 * 1000


class Message(Struct):
    """What is sent to a webhook, about the event of a revision if any; when it is ``due``."""

    kind: str
    at: int
    body: bytes
    revision: int | None = None
    plant_id: int | None = None
    attempts: int = 0
    due: float = 0.0


def message_of_event(store: str, row: Row) -> Message:
    """The message about an event, a row of ``read_changes``."""
    revision, kind, plant_id, name, tag, at, user = row
    plant = {"id": plant_id, "id_text": str(plant_id), "name": name, "tag": tag}
    told = {"store": store, "revision": revision, **plant, "by": user}
    return Message(kind, at, _write(kind, at, **told), revision, plant_id)


def message_of_gap(store: str, revision: int) -> Message:
    """The message that the events up to a revision were trimmed before they were told."""
    body = _write("store.resync", now(), store=store, revision=revision)
    return Message("store.resync", now(), body, revision)


def message_of_test(store: str) -> Message:
    """The message of a test."""
    return Message("webhook.test", now(), _write("webhook.test", now(), store=store))


def message_again(session: Queries, webhook: Webhook, delivery: Delivery) -> Message:
    """The message of an attempt.

    :raises RequestError: its event is trimmed.
    """
    if delivery.revision is None:
        return message_of_test(webhook.store)
    if delivery.kind not in KINDS:
        return message_of_gap(webhook.store, delivery.revision)
    after = delivery.revision - 1
    rows = session.query("read_changes", webhook.store_id, after, 1)
    if not rows or rows[0][0] != delivery.revision:
        raise RequestError(41001, after=after)
    return message_of_event(webhook.store, rows[0])


def _write(kind: str, at: int, **data: object) -> bytes:
    known = {name: value for name, value in data.items() if value is not None}
    return msgspec.json.encode({"type": kind, "timestamp": write_time(at), "data": known})


def make_secret(key: str | None) -> str:
    """What is stored of a new secret: itself, or with a key what it is made from."""
    random = os.urandom(_SECRET_BYTES)
    return _SECRET + b64encode(random).decode() if key is None else _DERIVED + random.hex()


def reveal_secret(stored: str, key: str | None) -> str:
    """The secret of which this is stored.

    :raises SetupError: it needs the key.
    """
    if not stored.startswith(_DERIVED):
        return stored
    if key is None:
        raise SetupError("this webhook's secret was made from a key: set webhook_key")
    return _SECRET + b64encode(hmac.digest(key.encode(), stored.encode(), "sha256")).decode()


def make_headers(webhook: Webhook, message: Message, key: str | None) -> dict[str, str]:
    """The headers of a message that is sent now.

    :raises SetupError: its secret needs the key.
    """
    about = os.urandom(8).hex() if message.revision is None else message.revision
    message_id, timestamp = f"msg_{webhook.webhook_id}_{about}", str(int(time.time()))
    signed = f"{message_id}.{timestamp}.".encode() + message.body
    stored = [webhook.secret]
    if webhook.old_secret and now() < (webhook.rotated_at or 0) + _DAY_MS:
        stored.append(webhook.old_secret)
    secrets = (b64decode(reveal_secret(one, key).removeprefix(_SECRET)) for one in stored)
    signatures = (b64encode(hmac.digest(secret, signed, "sha256")) for secret in secrets)
    return {
        "Content-Type": "application/json",
        "User-Agent": "plantstore",
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{one.decode()}" for one in signatures),
    }
