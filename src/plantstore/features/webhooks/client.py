"""Sends messages over HTTP, only to public addresses.

Invariant: each address is checked when it is connected to, whatever its name meant before; no
redirect is followed, and no proxy is used.
"""

import asyncio
import socket
import time
from asyncio import IncompleteReadError
from contextlib import suppress
from ipaddress import IPv4Address, ip_address, ip_network
from typing import TYPE_CHECKING, Any

from plantstore.core.clock import DAY_MS, now
from plantstore.features.webhooks import WebhookSettings, webhooks
from plantstore.features.webhooks.messages import Message, reveal_secret, sign
from plantstore.features.webhooks.webhooks import Delivery, Record, Webhook
from plantstore.sql.session import Session

if TYPE_CHECKING:
    import aiohttp

_TIMEOUT = 10.0
_MAX_BYTES = 64 * 1024  # of a response; if there is more, its connection is closed
_KEPT = 1000  # characters of a response
_MAX_WAIT = 86400.0
_ALLOCATED = ip_network("2000::/3")  # of IPv6; mapped, NAT64 and all local addresses are outside
# 6to4, its relays, what older Pythons do not know (reserved, documentation), and Azure's host.
_OTHERS = tuple(
    map(ip_network, ("192.88.99.0/24", "2002::/16", "192.0.0.0/24", "3fff::/20", "168.63.129.16"))
)


def is_public(text: str) -> bool:
    """Whether an address is on the public internet."""
    address = ip_address(text.partition("%")[0])
    is_known = isinstance(address, IPv4Address) or address in _ALLOCATED
    is_one = is_known and address.is_global and not address.is_multicast
    return is_one and not any(address in network for network in _OTHERS)


def open_client(settings: WebhookSettings) -> "aiohttp.ClientSession":
    """An HTTP client with its own connections."""
    import aiohttp  # noqa: PLC0415 - an extra, and slow to import

    def connect(info: Any) -> socket.socket:  # noqa: ANN401 - as getaddrinfo has it
        *kind, _, address = info
        if not settings.webhook_allow_private and not is_public(address[0]):
            raise OSError(f"{address[0]} is a private address, see webhook_allow_private")
        return socket.socket(*kind)

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, socket_factory=connect),
        timeout=aiohttp.ClientTimeout(total=_TIMEOUT),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
    )


async def send(
    client: "aiohttp.ClientSession", webhook: Webhook, message: Message, key: str | None
) -> tuple[Delivery, float]:
    """Send a message, once; the seconds of a Retry-After."""
    began, status, wait = time.monotonic(), None, 0.0
    stored = [webhook.secret]
    if webhook.old_secret and now() < (webhook.rotated_at or 0) + DAY_MS:
        stored.append(webhook.old_secret)
    try:
        secrets = [reveal_secret(secret, key) for secret in stored]
        body, headers = sign(message, webhook.id, secrets)
        async with client.post(
            webhook.url, data=body, headers=headers, allow_redirects=False
        ) as response:
            try:
                body = await response.content.readexactly(_MAX_BYTES)
            except IncompleteReadError as error:  # which is usual
                body = error.partial
            text = body.decode(errors="replace").replace("\0", "\ufffd")
            status = response.status
            wait = _read_wait(response.headers.get("Retry-After", ""))
    except Exception as error:  # noqa: BLE001 - whatever the address leads to
        text = str(getattr(error, "os_error", error)) or f"no response within {_TIMEOUT:g} s"
    number, duration = time.time_ns() // 1000, int((time.monotonic() - began) * 1000)
    about = (number, message.type, message.data.revision)
    return Delivery(*about, status, duration, text[:_KEPT]), wait


def send_now(
    session: Session, settings: WebhookSettings, store_id: int, webhook_id: str, *number: str
) -> Record:
    """Send the message of an attempt again, or without a number a test; what came back.

    It waits for the response, in a thread without an event loop.
    """
    webhook, message = webhooks.find_message(session, store_id, webhook_id, *number)

    async def send_alone() -> Delivery:
        async with open_client(settings) as client:
            return (await send(client, webhook, message, settings.webhook_key))[0]

    delivery = asyncio.run(send_alone())
    with session.transaction():
        webhooks.log_deliveries(session, webhook, [delivery])
    return webhooks.describe(delivery)


def _read_wait(text: str) -> float:
    """The seconds of a Retry-After, a number or a date."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - slow to import, seldom needed

    wait = float(text[:9]) if text.isdecimal() else 0.0
    with suppress(ValueError, OverflowError):
        wait = parsedate_to_datetime(text).timestamp() - time.time()
    return min(max(wait, 0.0), _MAX_WAIT)
