"""Sends messages over HTTP, to addresses that anybody may send to.

Invariant: each address is checked when it is connected to, whatever its name meant before; no
redirect is followed, and no proxy is used.
"""

import asyncio
import socket
import time
from contextlib import suppress
from datetime import UTC, datetime
from ipaddress import IPv4Address, ip_address, ip_network
from typing import TYPE_CHECKING, Any, Self

from plantstore.features.webhooks import WebhookSettings
from plantstore.features.webhooks.messages import Message, make_headers
from plantstore.features.webhooks.webhooks import Delivery, Webhook

if TYPE_CHECKING:
    import aiohttp

_TIMEOUT = 10.0
_MAX_BYTES = 64 * 1024  # of a response: beyond, its connection is closed
_KEPT = 1000  # characters of a response
_MAX_WAIT = 86400.0
_ALLOCATED = ip_network("2000::/3")  # of IPv6; mapped, NAT64 and all local ones are outside
# 6to4, its relays, and one for documentation that older Pythons do not know.
_OTHERS = tuple(map(ip_network, ("192.88.99.0/24", "2002::/16", "3fff::/20")))


def is_public(text: str) -> bool:
    """Whether an address is one of the internet, not of a network behind it."""
    address = ip_address(text.partition("%")[0])
    if not address.is_global or address.is_multicast or address.is_reserved:
        return False
    is_known = isinstance(address, IPv4Address) or address in _ALLOCATED
    return is_known and not any(address in network for network in _OTHERS)


class Client:
    """Sends messages, on connections of its own."""

    def __init__(self, settings: WebhookSettings) -> None:
        self._settings = settings
        self._session = self._open(self._connect)
        self._plain = self._open(self._connect_to_loopback)

    def _open(self, connect: Any) -> "aiohttp.ClientSession":  # noqa: ANN401 - aiohttp's own type
        import aiohttp  # noqa: PLC0415 - an extra, and slow to import

        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, socket_factory=connect),
            timeout=aiohttp.ClientTimeout(total=_TIMEOUT),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )

    def _connect(self, info: Any) -> socket.socket:  # noqa: ANN401 - as getaddrinfo has it
        *kind, _, address = info
        if not self._settings.webhook_allow_private and not is_public(address[0]):
            raise OSError(f"{address[0]} is a private address, see webhook_allow_private")
        return socket.socket(*kind)

    def _connect_to_loopback(self, info: Any) -> socket.socket:  # noqa: ANN401 - as above
        if not ip_address(info[4][0].partition("%")[0]).is_loopback:
            raise OSError("http leads to this machine alone: use https")
        return self._connect(info)

    async def send(self, webhook: Webhook, message: Message) -> tuple[Delivery, float]:
        """Send a message, once; the seconds of a Retry-After."""
        began, status, wait = time.monotonic(), None, 0.0
        session = self._session if webhook.url.startswith("https:") else self._plain
        try:
            headers = make_headers(webhook, message, self._settings.webhook_key)
            async with session.post(
                webhook.url, data=message.body, headers=headers, allow_redirects=False
            ) as response:
                text = (await _read(response)).decode(errors="replace").replace("\0", "\ufffd")
                status, wait = response.status, _read_wait(response.headers.get("Retry-After", ""))
        except Exception as error:  # noqa: BLE001 - whatever the address leads to
            text = str(getattr(error, "os_error", error)) or f"no response within {_TIMEOUT:g} s"
        number, duration = time.time_ns() // 1000, int((time.monotonic() - began) * 1000)
        about = (message.kind, message.revision, status, duration, text[:_KEPT])
        return Delivery(number, *about), wait

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()
        await self._plain.close()


def send_now(webhook: Webhook, message: Message, settings: WebhookSettings) -> Delivery:
    """Send a message and wait for the response, in a thread without an event loop."""

    async def send() -> Delivery:
        async with Client(settings) as client:
            delivery, _ = await client.send(webhook, message)
            return delivery

    return asyncio.run(send())


async def _read(response: "aiohttp.ClientResponse") -> bytes:
    body = b""
    async for part in response.content.iter_any():
        body += part
        if len(body) > _MAX_BYTES:
            response.close()
            break
    return body


def _read_wait(text: str) -> float:
    """The seconds of a Retry-After, a number or a date."""
    wait = float(text[:9]) if text.isdecimal() else 0.0
    with suppress(ValueError):
        until = datetime.strptime(text, "%a, %d %b %Y %H:%M:%S GMT").replace(tzinfo=UTC)
        wait = (until - datetime.now(UTC)).total_seconds()
    return min(max(wait, 0.0), _MAX_WAIT)
