"""Signs messages by Standard Webhooks 1.0, and sends them only to public addresses.

Invariant: each IP address is checked at the connection, whatever its name meant before; no redirect
is followed, and no proxy is used.
"""

import asyncio
import hmac
import os
import socket
import time
from asyncio import IncompleteReadError
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from ipaddress import ip_address, ip_network
from typing import Any

from plantstore.core.errors import NoSuchDeliveryError, RequestError
from plantstore.features.webhooks import WebhookSettings
from plantstore.features.webhooks.queue import RESYNC, Message, make_message, read_messages
from plantstore.features.webhooks.webhooks import Delivery, Webhook, Webhooks, log_deliveries

Send = Callable[[Webhook, Message], Awaitable[tuple[Delivery, float]]]

_TIMEOUT = 10.0
_MAX_BYTES = 64 * 1024  # of a response; a longer response closes the connection
_KEPT = 1000  # characters of a response, for the log
_DAY = 86400.0
# IPv6 outside of 2000::/3 (mapped, NAT64, local); 6to4 and its relays; networks that older Pythons
# consider public (reserved, documentation); and Azure's host.
_V6 = ("::/3", "4000::/2", "8000::/1", "2002::/16", "3fff::/20")
_V4 = ("192.88.99.0/24", "192.0.0.0/24", "168.63.129.16")
_RESERVED = tuple(map(ip_network, _V6 + _V4))


def is_public(text: str) -> bool:
    """Whether an address is on the public internet."""
    address = ip_address(text.partition("%")[0])
    is_global = address.is_global and not address.is_multicast
    return is_global and not any(address in network for network in _RESERVED)


@asynccontextmanager
async def open_client(settings: WebhookSettings) -> AsyncIterator[Send]:
    """A function that sends a message once, and returns the result and a Retry-After."""
    import aiohttp  # noqa: PLC0415 - an extra, and slow to import

    def connect(info: Any) -> socket.socket:  # noqa: ANN401 - as getaddrinfo has it
        *kind, _, address = info
        if not settings.webhook_allow_private and not is_public(address[0]):
            raise OSError(f"{address[0]} is a private address, see webhook_allow_private")
        return socket.socket(*kind)

    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, socket_factory=connect),
        timeout=aiohttp.ClientTimeout(total=_TIMEOUT),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
    ) as client:
        post = partial(client.post, allow_redirects=False)
        yield partial(_send, post, settings.webhook_key)


async def _send(
    post: Callable[..., Any], key: str | None, webhook: Webhook, message: Message
) -> tuple[Delivery, float]:
    began, status, wait = time.monotonic(), None, 0.0
    try:
        headers = sign(message, webhook, key)
        async with post(webhook.url, data=message.body, headers=headers) as response:
            try:
                body = await response.content.readexactly(_MAX_BYTES)
            except IncompleteReadError as error:  # the usual case
                body = error.partial
            text = body.decode(errors="replace").replace("\0", "\ufffd")
            status = response.status
            wait = _read_wait(response.headers.get("Retry-After", ""))
    except Exception as error:  # noqa: BLE001 - whatever the address leads to
        text = str(getattr(error, "os_error", error)) or f"no response within {_TIMEOUT:g} s"
    number, duration = time.time_ns() // 1000, int((time.monotonic() - began) * 1000)
    about = (number, message.type, message.revision or None)
    return Delivery(*about, status, duration, text[:_KEPT]), wait


def sign(message: Message, webhook: Webhook, key: str | None) -> dict[str, str]:
    """The headers of a message that is sent now. An event's id is the same in each attempt."""
    about = message.revision or os.urandom(8).hex()
    if message.type == RESYNC:  # must differ from the event of this revision
        about = f"resync_{about}"
    message_id, timestamp = f"msg_{webhook.id}_{about}", str(int(time.time()))
    signed = f"{message_id}.{timestamp}.".encode() + message.body
    digests = [hmac.digest(secret, signed, "sha256") for secret in webhook.reveal_secrets(key)]
    return {
        "Content-Type": "application/json",
        "User-Agent": "plantstore",
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{b64encode(digest).decode()}" for digest in digests),
    }


def _read_wait(text: str) -> float:
    """The seconds of a Retry-After, which is a number or a date."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - slow to import, seldom needed

    with suppress(ValueError, OverflowError):
        is_date = not text.isdecimal()
        wait = parsedate_to_datetime(text).timestamp() - time.time() if is_date else float(text)
        return min(max(wait, 0.0), _DAY)
    return 0.0


def send_now(webhooks: Webhooks, webhook_id: str, number: str | None = None) -> Delivery:
    """Send the message of an attempt again or, without a number, a test.

    Wait for the response, in a thread without an event loop.

    :raises PlantStoreError: there is no such webhook or attempt, or its event is trimmed.
    """
    webhook, kind, revision = webhooks.find(webhook_id), "webhook.test", None
    if number is not None:
        log = {str(attempt.number): attempt for attempt in webhooks.list_deliveries(webhook_id)}
        if number not in log:
            raise NoSuchDeliveryError(number=number)
        kind, revision = log[number].type, log[number].revision
    message = make_message(kind, webhook.store)
    if revision is not None:
        store = webhook.store_id, webhook.store
        message, *_ = read_messages(webhooks.session, *store, revision - 1, revision)
        if message.type != kind:
            raise RequestError(41001, after=revision - 1)

    async def send_alone() -> Delivery:
        async with open_client(webhooks.settings) as send:
            return (await send(webhook, message))[0]

    delivery = asyncio.run(send_alone())
    with webhooks.session.transaction():
        log_deliveries(webhooks.session, webhook, [delivery])
    return delivery
