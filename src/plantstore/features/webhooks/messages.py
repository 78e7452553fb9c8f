"""Messages about a store's events, signed by Standard Webhooks 1.0, sent only to public addresses.

Invariant: each IP address is checked at the connection, whatever its name meant before; no redirect
is followed, and no proxy is used.
"""

import asyncio
import hmac
import os
import socket
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from functools import partial
from ipaddress import ip_address, ip_network
from typing import Any

import msgspec
from msgspec import Struct

from plantstore.core.clock import now, write_time
from plantstore.core.errors import RequestError
from plantstore.core.model import Plant
from plantstore.features.webhooks import WebhookSettings
from plantstore.features.webhooks.webhooks import Delivery, Webhook, Webhooks, log_deliveries
from plantstore.http.responses import to_record
from plantstore.sql.session import Session

RESYNC = "store.resync"  # events up to this revision are missing
_MAX_READ = 200
READ_SECONDS = 0.05  # after which no more events are read at once: a former state can take 10 ms
_TIMEOUT = 10.0
_MAX_BYTES = 8 * 1024  # of a response; a longer response closes the connection
_MAX_RECEIVED = 4 * _MAX_BYTES  # with heads, interim responses, chunks and TLS
_MIN_RECEIVED = 512  # what each receive counts at least: it takes 0.1 ms, however short it is
_KEPT = 1000  # characters of a response, for the log
# IPv6 outside of 2000::/3 (mapped, NAT64, local); 6to4 and its relays; networks that older Pythons
# consider public (reserved, documentation); Azure's host; and multicast.
_V6 = ("::/3", "4000::/2", "8000::/1", "2002::/16", "3fff::/20")
_V4 = ("192.88.99.0/24", "192.0.0.0/24", "168.63.129.16", "224.0.0.0/4")
_RESERVED = tuple(map(ip_network, _V6 + _V4))
# Called when a connection receives something, as the task that made the connection has set it.
RECEIVED = ContextVar[Callable[[], object]]("received", default=lambda: None)


class Message(Struct, frozen=True, eq=False):
    """A message about a store: an event, a gap between events, or a test, with the revision 0."""

    type: str
    revision: int
    at: int
    body: bytes
    plant_id: int | None = None
    tag: str | None = None

    def is_for(self, webhook: Webhook) -> bool:
        is_of_tag = webhook.tag in (None, self.tag)
        return self.type == RESYNC or (self.type in webhook.events and is_of_tag)

    def sign(self, webhook: Webhook, key: str | None) -> dict[str, str]:
        """The headers of a message that is sent now. An event's id is the same in each attempt."""
        about = self.revision or os.urandom(8).hex()
        if self.type == RESYNC:  # must differ from the event of this revision
            about = f"resync_{about}"
        message_id, timestamp = f"msg_{webhook.id}_{about}", str(int(time.time()))
        signed = f"{message_id}.{timestamp}.".encode() + self.body
        digests = [hmac.digest(secret, signed, "sha256") for secret in webhook.reveal_secrets(key)]
        return {
            "Content-Type": "application/json",
            "User-Agent": "plantstore",
            "webhook-id": message_id,
            "webhook-timestamp": timestamp,
            "webhook-signature": " ".join(f"v1,{b64encode(digest).decode()}" for digest in digests),
        }


def make_message(
    kind: str, store: str, revision: int = 0, at: int | None = None, plant: Mapping[str, Any] = {}
) -> Message:
    """Make a message; fields of None are omitted."""
    at = at or now()
    data = to_record(store=store, revision=revision or None, **plant)
    body = msgspec.json.encode({"type": kind, "timestamp": write_time(at), "data": data})
    return Message(kind, revision, at, body, plant.get("id"), plant.get("tag"))


def read_messages(
    session: Session, store_id: int, store: str, after: int, last: int
) -> list[Message]:
    """Messages about the next events after a revision, up to ``last``.

    If events before these are missing, the first message says so.
    """
    until = time.monotonic() + READ_SECONDS
    count = min(last - after, _MAX_READ)
    rows = session.query("list_events", store_id, after, None, None, None, count)
    gap = (rows[0][0] if rows else last + 1) - 1
    messages = [make_message(RESYNC, store, gap)] if gap > after else []
    for revision, kind, plant_id, name, tag, at, user, *_ in rows:
        plant = {"id": plant_id, "id_text": str(plant_id), "name": name, "tag": tag, "by": user}
        if kind == "plant.updated":
            for former in session.query("find_former", store_id, plant_id, revision):
                plant["previous"] = Plant(*former)
        messages.append(make_message(kind, store, revision, at, plant))
        if time.monotonic() > until:
            break
    return messages


def is_public(text: str) -> bool:
    """Whether an address is on the public internet."""
    address = ip_address(text.partition("%")[0])
    return address.is_global and not any(address in network for network in _RESERVED)


class _Socket(socket.socket):
    """A socket that receives at most ``left`` bytes: of a handshake, then of each response."""

    left = _MAX_RECEIVED

    def recv(self, size: int, *_: int) -> bytes:
        data = bytearray(size)
        return bytes(data[: self.recv_into(data)])

    def recv_into(self, buffer: Any, *_: int) -> int:  # noqa: ANN401 - with TLS
        RECEIVED.get()()
        if not self.left:
            raise ConnectionAbortedError("the response is too long")
        count = super().recv_into(buffer, min(len(buffer), self.left))
        self.left = max(self.left - max(count, _MIN_RECEIVED), 0)
        return count


Send = Callable[[Webhook, Message], Awaitable[tuple[Delivery, float]]]


@asynccontextmanager
async def open_client(settings: WebhookSettings) -> AsyncIterator[Send]:
    """A function that sends a message once, and returns the result and a Retry-After."""
    import aiohttp  # noqa: PLC0415 - an extra, and slow to import

    def connect(info: Any) -> socket.socket:  # noqa: ANN401 - as getaddrinfo has it
        *kind, _, address = info
        if not settings.webhook_allow_private and not is_public(address[0]):
            raise OSError(f"{address[0]} is a private address, see webhook_allow_private")
        return _Socket(*kind)

    class Connector(aiohttp.TCPConnector):
        async def connect(self, *given: Any, **more: Any) -> Any:  # noqa: ANN401 - as aiohttp does
            connection = await super().connect(*given, **more)
            # Not when something is sent: TLS also responds to key updates.
            if transport := connection.transport:
                transport.get_extra_info("socket")._sock.left = _MAX_RECEIVED  # noqa: SLF001
            return connection

    async def send(webhook: Webhook, message: Message) -> tuple[Delivery, float]:
        began, status, wait = time.monotonic(), None, 0.0
        try:
            headers = message.sign(webhook, settings.webhook_key)
            async with post(webhook.url, data=message.body, headers=headers) as response:
                try:
                    body = await response.content.readexactly(_MAX_BYTES)
                except asyncio.IncompleteReadError as error:  # the usual case
                    body = error.partial
                text = body.decode(errors="replace")
                status, wait = response.status, _read_wait(response.headers.get("Retry-After", ""))
        except Exception as error:  # noqa: BLE001 - whatever the address leads to
            text = str(getattr(error, "os_error", error)) or f"no response within {_TIMEOUT:g} s"
        about = (time.time_ns() // 1000, message.type, message.revision or None)
        # A terminal would obey control characters.
        text = "".join(letter if letter.isprintable() else " " for letter in text[:_KEPT])
        return Delivery(*about, status, int((time.monotonic() - began) * 1000), text), wait

    async with aiohttp.ClientSession(
        connector=Connector(limit=0, socket_factory=connect),
        timeout=aiohttp.ClientTimeout(total=_TIMEOUT),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
    ) as client:
        post = partial(client.post, allow_redirects=False)
        yield send


def _read_wait(text: str) -> float:
    """The seconds of a Retry-After, which is a number or a date; a day at most."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - slow to import, seldom needed

    with suppress(ValueError, OverflowError):
        is_date = not text.isdecimal()
        wait = parsedate_to_datetime(text).timestamp() - time.time() if is_date else float(text)
        return min(max(wait, 0.0), 86400.0)
    return 0.0


def find_message(
    webhooks: Webhooks, webhook_id: str, number: str | None = None
) -> tuple[Webhook, Message]:
    """The webhook, and the message of an attempt or, without a number, a test.

    :raises PlantStoreError: there is no such webhook or attempt, or its event is trimmed.
    """
    webhook, kind, revision = webhooks.find(webhook_id), "webhook.test", None
    if number is not None:
        log = {str(attempt.number): attempt for attempt in webhooks.list_deliveries(webhook_id)}
        if number not in log:
            raise RequestError(40409, delivery=number)
        kind, revision = log[number].type, log[number].revision
    message = make_message(kind, webhook.store)
    if revision is not None:
        store = webhook.store_id, webhook.store
        message, *_ = read_messages(webhooks.session, *store, revision - 1, revision)
        if message.type != kind:
            raise RequestError(41001, after=revision - 1)
    return webhook, message


def send_now(settings: WebhookSettings, webhook: Webhook, message: Message) -> Delivery:
    """Send a message, and wait for the response, in a thread without an event loop."""

    async def send_alone() -> Delivery:
        async with open_client(settings) as send:
            return (await send(webhook, message))[0]

    return asyncio.run(send_alone())


def log_now(session: Session, webhook: Webhook, delivery: Delivery) -> None:
    with session.transaction():
        log_deliveries(session, webhook, [delivery])
