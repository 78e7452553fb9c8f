"""TLS: the certificate, and connections before their handshake is done."""

import asyncio
import ssl

from plantstore.errors import SetupError
from plantstore.server.connection import Connection
from plantstore.server.connections import Connections
from plantstore.server.sockets import find_address
from plantstore.settings import Settings


def load_certificate(settings: Settings) -> ssl.SSLContext | None:
    """What TLS needs, or None where the service has no certificate.

    :raises SetupError: the files are not a certificate and its key.
    """
    if settings.tls_cert is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(settings.tls_cert, settings.tls_key)
    except (OSError, ValueError) as error:
        raise SetupError(
            f"cannot use tls_cert {settings.tls_cert} with tls_key {settings.tls_key}: {error}"
        ) from None
    return context


class Handshake(asyncio.Protocol):
    """A connection until it is encrypted: it counts among the others, and has a deadline."""

    address = ""
    is_waiting, is_stuck = True, False
    _transport: asyncio.Transport

    def __init__(self, connections: Connections, context: ssl.SSLContext) -> None:
        self.since, self.timeout = connections.now, connections.settings.head_timeout
        self._connections = connections
        self._context = context
        self._loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # a server's transports are
        """Begin the handshake, where there is room for the connection."""
        self._transport = transport
        self.address = find_address(transport)
        if self._connections.admit(self):
            self._task = self._loop.create_task(self._shake_hands())
        else:
            transport.abort()

    def connection_lost(self, _error: Exception | None) -> None:
        """Count it no more."""
        self._connections.release(self)

    async def _shake_hands(self) -> None:
        connection = Connection(self._connections)
        try:
            encrypted = await self._loop.start_tls(
                self._transport,
                connection,
                self._context,
                server_side=True,
                ssl_handshake_timeout=self.timeout,
            )
        except OSError:  # which ssl.SSLError is: the client's own business
            encrypted = None
        finally:
            self._connections.release(self)
        if encrypted is None:
            self._transport.abort()
        else:
            connection.connection_made(encrypted)

    def expire(self) -> None:
        """The handshake has a deadline of its own, to the same second."""

    def drop(self) -> None:
        """Close the connection."""
        self._transport.abort()

    shutdown = abandon = drop
