"""A webhook, and what was sent to it, as rows have them and as clients see them."""

import hmac
import os
from base64 import b64encode
from typing import Annotated, Any, Literal, NamedTuple, get_args
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from plantstore.core.clock import now, write_time
from plantstore.core.errors import InvalidChangeError, SetupError
from plantstore.core.model import TEXT_LENGTHS, broken_rule
from plantstore.features.access.http.bodies import Text
from plantstore.features.webhooks.messages import SECRET

Kind = Literal["plant.created", "plant.updated", "plant.deleted"]
KINDS: tuple[str, ...] = get_args(Kind)
_DAY_MS = 24 * 3600 * 1000
_DERIVED = "key_"  # what stands for a secret that is made from the setting webhook_key
_HIDDEN = frozenset({"store_id", "secret", "old_secret", "rotated_at", "store"})
_TIMES = frozenset({"created_at", "failing_since", "at", "next_at"})

Record = dict[str, Any]  # what clients see; what does not apply is left out


class Target(Struct, frozen=True):
    """What a webhook is sent, and where: the body that creates it, or changes all of it."""

    url: Text
    events: Annotated[
        list[Kind] | None,
        Meta(description="an array of plant.created, plant.updated and plant.deleted, or null"),
    ] = None
    tag: Annotated[str | None, Meta(description="a string, or null")] = None
    description: Text = ""
    paused: Annotated[bool, Meta(description="true or false")] = False

    def check(self) -> tuple[str, str, str | None, str]:
        """What a webhook's row has of it; no events mean all.

        :raises InvalidChangeError: it cannot be so.
        """
        if not _is_url(self.url):
            reason = "url must be such as https://example.com/plants; http leads to localhost alone"
            raise InvalidChangeError(reason=reason)
        bounds = {"url": (self.url, 2000, 1), "description": (self.description, 256, 0)}
        bounds["tag"] = (self.tag or "", *TEXT_LENGTHS["tag"])
        for name, bound in bounds.items():
            if rule := broken_rule(*bound):
                raise InvalidChangeError(reason=f"{name} {rule}")
        kinds = " ".join(kind for kind in KINDS if kind in (self.events or ()))
        return self.url, kinds, self.tag, self.description


def _is_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_whole = parts.hostname and parts.port != 0 and parts.username is None and "#" not in url
    except ValueError:
        return False
    is_local = parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
    return bool(is_whole) and (parts.scheme == "https" or is_local)


class Webhook(NamedTuple):
    """A webhook, as its row has it, with the revision and the name of its store."""

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
    revision: int
    store: str

    @property
    def place(self) -> tuple[int, str]:
        """The key of its row."""
        return self.store_id, self.id

    def describe(self) -> Record:
        """As clients see it."""
        return _make_record(**self._asdict() | {"events": self.events.split() or list(KINDS)})

    def find_secrets(self, key: str | None) -> list[str]:
        """What signs its messages now, the newest first.

        :raises SetupError: the key is missing.
        """
        is_rotated = self.old_secret and now() < (self.rotated_at or 0) + _DAY_MS
        stored = [self.secret, self.old_secret] if is_rotated else [self.secret]
        return [reveal_secret(secret, key) for secret in stored if secret]


class Delivery(NamedTuple):
    """An attempt, by its time in microseconds; ``next_at`` is when there is another one."""

    number: int
    type: str
    revision: int | None
    status: int | None
    duration_ms: int
    response: str
    next_at: int | None = None

    @property
    def at(self) -> int:
        """When it ended, in milliseconds."""
        return self.number // 1000

    def describe(self) -> Record:
        """As clients see it."""
        return _make_record(at=self.at, **self._asdict())


def _make_record(**fields: Any) -> Record:  # noqa: ANN401 - of any row
    return {
        name: write_time(value) if name in _TIMES else value
        for name, value in fields.items()
        if value is not None and name not in _HIDDEN
    }


def make_secret(key: str | None) -> str:
    """What is stored of a new secret: itself, or with a key what it is made from."""
    random = os.urandom(32)
    return SECRET + b64encode(random).decode() if key is None else _DERIVED + random.hex()


def reveal_secret(stored: str, key: str | None) -> str:
    """The secret of which this is stored.

    :raises SetupError: the key is missing.
    """
    if not stored.startswith(_DERIVED):
        return stored
    if key is None:
        raise SetupError("this webhook's secret was made from a key: set webhook_key")
    return SECRET + b64encode(hmac.digest(key.encode(), stored.encode(), "sha256")).decode()
