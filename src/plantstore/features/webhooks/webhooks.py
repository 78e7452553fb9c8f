"""A store's webhooks and the log of their deliveries, as rows and as clients see them.

Invariant: each event up to ``delivered`` has reached the receiver. ``delivered`` begins with the
store's revision when the webhook is created, and only grows.
"""

import hmac
import os
import re
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Annotated, Any, Literal, NamedTuple, get_args

from msgspec import Meta, Struct
from msgspec.structs import asdict

from plantstore.core import errors
from plantstore.core.clock import DAY_MS, now, write_time
from plantstore.core.model import TEXT_LENGTHS, broken_rule
from plantstore.features.access.http.bodies import Text
from plantstore.features.webhooks import WebhookSettings
from plantstore.http.responses import Record
from plantstore.sql.session import Session

_MAX_WEBHOOKS = 20
_WEEK_US = 7 * 24 * 3600 * 10**6
_SECRET = "whsec_"  # noqa: S105 - what secrets begin with
_DERIVED = "key_"  # marks a secret that is derived from the setting webhook_key
_URL = re.compile(
    r"(https://([^/?#@:\[\]]+|\[[0-9a-fA-F:.]+\])|http://(localhost|127\.0\.0\.1|\[::1\]))"
    r"(:[1-9][0-9]{0,4})?([/?][^#]*)?\Z"
)
_LENGTHS = {"url": (2000,), "description": (256, 0), "tag": TEXT_LENGTHS["tag"]}
_HIDDEN = frozenset({"store_id", "store", "secret", "old_secret", "rotated_at", "progress"})
_TIMES = frozenset({"created_at", "failing_since", "at", "next_at"})

Kind = Literal["plant.created", "plant.updated", "plant.deleted"]
KINDS: tuple[str, ...] = get_args(Kind)


class Target(Struct, frozen=True):
    """The body that creates or replaces a webhook: what is sent, and where; no events mean all."""

    url: Text
    events: Annotated[
        list[Kind] | None,
        Meta(description="an array of plant.created, plant.updated and plant.deleted, or null"),
    ] = None
    tag: Annotated[str | None, Meta(description="a string, or null")] = None
    description: Text = ""
    paused: Annotated[bool, Meta(description="true or false")] = False


class Webhook(NamedTuple):
    """A webhook's row, with the revision and name of its store.

    ``progress`` is JSON: up to which revision events were read, and which were not accepted.
    """

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

    def reveal_secrets(self, key: str | None) -> Iterator[bytes]:
        """The secrets that sign messages: the current and, for a day after a rotation, the old.

        :raises SetupError: a secret was derived from a key, which is missing.
        """
        is_old_valid = now() < (self.rotated_at or 0) + DAY_MS
        for stored in filter(None, (self.secret, self.old_secret if is_old_valid else None)):
            if not stored.startswith(_DERIVED):
                yield b64decode(stored.removeprefix(_SECRET))
            elif key is None:
                raise errors.SetupError("this secret was derived from a key: set webhook_key")
            else:
                yield hmac.digest(key.encode(), stored.encode(), "sha256")


class Delivery(NamedTuple):
    """An attempt, by its time in microseconds; ``next_at`` is the time of the next attempt."""

    number: int
    type: str
    revision: int | None
    status: int | None
    duration_ms: int
    response: str
    next_at: int | None = None

    @property
    def is_accepted(self) -> bool:
        return (self.status or 0) // 100 == 2  # noqa: PLR2004 - as HTTP has it


def describe(row: Webhook | Delivery) -> Record:
    """The webhook or delivery as clients see it."""
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


def log_deliveries(session: Session, webhook: Webhook, deliveries: Sequence[Delivery]) -> None:
    """Log attempts, in a transaction; the log keeps 100 for a week."""
    key = webhook.store_id, webhook.id
    session.write_rows("insert_delivery", [(*key, *delivery) for delivery in deliveries])
    session.query("delete_old_deliveries", *key, time.time_ns() // 1000 - _WEEK_US)


class Webhooks(Struct):
    """A store's webhooks, for its managers; changes need a transaction.

    :raises PlantStoreError: there is no such webhook, there are too many, or one is invalid.
    """

    session: Session
    store_id: int
    settings: WebhookSettings
    has_changed: bool = False

    def list_all(self, webhook_id: str | None = None) -> list[Webhook]:
        """All webhooks, the oldest first, or one."""
        rows = self.session.query("find_webhooks", self.store_id, webhook_id)
        return [Webhook(*row) for row in rows]

    def find(self, webhook_id: str) -> Webhook:
        for webhook in self.list_all(webhook_id):
            return webhook
        raise errors.NoSuchWebhookError(webhook_id=webhook_id)

    def create(self, target: Target) -> Record:
        """Create a webhook, which gets all events from now on; returns it with its secret."""
        if find_spec("aiohttp") is None:
            reason = "webhooks need: pip install 'plantstore[webhooks]'"
            raise errors.InvalidChangeError(reason=reason)
        if len(self.list_all()) >= _MAX_WEBHOOKS:
            raise errors.TooMuchAccessError(things="webhooks")
        webhook_id = os.urandom(8).hex()
        self.session.query("insert_webhook", self.store_id, webhook_id, now())
        self.replace(webhook_id, target)
        return self.rotate(webhook_id)

    def replace(self, webhook_id: str, target: Target) -> Record:
        """Replace a webhook's target; the webhook is resumed unless the target says paused."""
        is_allowed = target.url.startswith("https:") or self.settings.webhook_allow_private
        if not is_allowed or not _URL.match(target.url):
            example = "https://example.com/plants, or with webhook_allow_private http://localhost"
            raise errors.InvalidChangeError(reason=f"url must be such as {example}")
        for name, lengths in _LENGTHS.items():
            if rule := broken_rule(getattr(target, name) or "", *lengths):
                raise errors.InvalidChangeError(reason=f"{name} {rule}")
        kinds = " ".join(kind for kind in KINDS if kind in (target.events or KINDS))
        paused = "paused by an owner" if target.paused else None
        return self.change(webhook_id, **asdict(target) | {"events": kinds, "paused": paused})

    def rotate(self, webhook_id: str) -> Record:
        """Give a webhook a new secret; for a day, messages are also signed with the old secret."""
        key, old = self.settings.webhook_key, self.find(webhook_id).secret or None
        random = os.urandom(32)
        secret = f"{_DERIVED}{random.hex()}" if key else f"{_SECRET}{b64encode(random).decode()}"
        record = self.change(webhook_id, secret=secret, old_secret=old, rotated_at=now())
        revealed, *_ = self.find(webhook_id).reveal_secrets(key)
        return record | {"secret": _SECRET + b64encode(revealed).decode()}

    def change(self, webhook_id: str, **fields: Any) -> Record:  # noqa: ANN401 - of a row
        """Set fields, which retries refused messages at once; a first reason of a pause stays."""
        before = self.find(webhook_id)
        if fields.get("paused"):
            fields["paused"] = before.paused or fields["paused"]
        after = before._replace(failing_since=None, **fields)
        self.has_changed |= after != before
        progress = f"{before.progress.strip()} "  # its form does not matter, but that it differs
        self.session.query("save_webhook", *after._replace(progress=progress)[:-2])
        return describe(after)

    def delete(self, webhook_id: str) -> Record:
        """Delete a webhook with its log; returns its last state."""
        record = describe(self.find(webhook_id))
        self.session.query("delete_webhook", self.store_id, webhook_id)
        self.has_changed = True
        return record

    def list_deliveries(self, webhook_id: str) -> list[Delivery]:
        """The last attempts, the newest first."""
        rows = self.session.query("list_deliveries", self.store_id, self.find(webhook_id).id)
        return [Delivery(*row) for row in rows]
