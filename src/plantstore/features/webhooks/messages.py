"""Messages as Standard Webhooks 1.0 has them: their ids, bodies, secrets and signatures.

Invariant: the same event has the same id for a webhook, however often it is sent.
"""

import hmac
import os
import time
from base64 import b64decode, b64encode
from collections.abc import Iterable

import msgspec
from msgspec import Struct

from plantstore.core.clock import now, write_time
from plantstore.core.errors import SetupError
from plantstore.core.model import Plant
from plantstore.sql.session import Queries

RESYNC = "store.resync"  # events up to its revision are missing
_SECRET = "whsec_"  # noqa: S105 - what secrets begin with
_DERIVED = "key_"  # what stands for a secret that is made from the setting webhook_key


class Data(Struct, frozen=True, omit_defaults=True):
    """What a message says about a store, and about an event if there is one."""

    store: str
    revision: int | None = None
    id: int | None = None
    id_text: str | None = None
    name: str | None = None
    tag: str | None = None
    previous: Struct | None = None
    by: str | None = None


class Message(Struct, frozen=True):
    """The body of a message."""

    type: str
    timestamp: str
    data: Data


def make_message(kind: str, store: str, revision: int | None = None) -> Message:
    """A message about no plant."""
    return Message(kind, write_time(now()), Data(store, revision))


def read_messages(
    session: Queries, store_id: int, store: str, after: int, limit: int
) -> list[Message]:
    """The messages about the store's next events after a revision."""
    messages = []
    for row in session.query("read_changes", store_id, after, limit):
        revision, kind, plant_id, name, tag, at, user = row
        previous = None
        if kind == "plant.updated":
            for contents in session.query("find_former", store_id, plant_id, revision):
                previous = Plant(*contents)
        data = Data(store, revision, plant_id, str(plant_id), name, tag, previous, user)
        messages.append(Message(kind, write_time(at), data))
    return messages


def read_message(session: Queries, store_id: int, store: str, revision: int) -> Message | None:
    """The message about the event of a revision; None if it was trimmed."""
    messages = read_messages(session, store_id, store, revision - 1, 1)
    return next((message for message in messages if message.data.revision == revision), None)


def sign(message: Message, webhook_id: str, secrets: Iterable[str]) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of a message that is sent now, with a signature for each secret."""
    body, about = msgspec.json.encode(message), message.data.revision or os.urandom(8).hex()
    if message.type == RESYNC:  # not to be taken for the event of this revision
        about = f"resync_{about}"
    message_id, timestamp = f"msg_{webhook_id}_{about}", str(int(time.time()))
    signed = f"{message_id}.{timestamp}.".encode() + body
    keys = (b64decode(secret.removeprefix(_SECRET)) for secret in secrets)
    signatures = (b64encode(hmac.digest(key, signed, "sha256")).decode() for key in keys)
    return body, {
        "Content-Type": "application/json",
        "User-Agent": "plantstore",
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
    }


def make_secret(key: str | None) -> str:
    """What is stored for a new secret: itself, or with a key what it is derived from."""
    random = os.urandom(32)
    return _SECRET + b64encode(random).decode() if key is None else _DERIVED + random.hex()


def reveal_secret(stored: str, key: str | None) -> str:
    """The secret of which this is stored.

    :raises SetupError: the key is missing.
    """
    if not stored.startswith(_DERIVED):
        return stored
    if key is None:
        raise SetupError("this webhook's secret was derived from a key: set webhook_key")
    return _SECRET + b64encode(hmac.digest(key.encode(), stored.encode(), "sha256")).decode()
