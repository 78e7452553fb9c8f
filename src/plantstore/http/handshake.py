"""A TLS connection until its handshake is done.

Invariant: from its first packet on it is one of the server's connections, has a deadline, and ends
when the server stops, as any other.
"""

import asyncio
import ssl
from typing import Any

from uvicorn.config import Config
from uvicorn.server import ServerState

from plantstore.http.protocol import BoundedProtocol
from plantstore.settings import Settings

# Past the bound of connections so many may still come, to be refused in our shape: that takes
# a handshake too.
_REFUSALS = 100


class Handshake(asyncio.Protocol):
    """Makes the handshake, then leaves the connection to a ``BoundedProtocol``.

    asyncio would make it by itself, but then nobody knows of the connection before it is done.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self._protocol = BoundedProtocol(config, server_state, app_state, _loop)
        self._connections: set[Any] = server_state.connections
        self._settings: Settings = config.settings  # type: ignore[attr-defined]  # a ServerConfig
        self._context: ssl.SSLContext = config.tls  # type: ignore[attr-defined]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place among the connections, where there is one."""
        self._transport = transport
        if len(self._connections) >= self._settings.max_connections + _REFUSALS:
            transport.abort()
            return
        self._connections.add(self)
        self._task = self._protocol.loop.create_task(self._shake_hands())

    def shutdown(self) -> None:
        """End the connection: the server stops (uvicorn's hook)."""
        self._transport.abort()

    async def _shake_hands(self) -> None:
        try:
            encrypted = await self._protocol.loop.start_tls(
                self._transport,
                self._protocol,
                self._context,
                server_side=True,
                ssl_handshake_timeout=self._settings.head_timeout,
            )
        except OSError:  # no TLS, none that both know, the client has gone, or the deadline
            return
        finally:
            self._connections.discard(self)
        if encrypted is not None and not encrypted.is_closing():
            self._protocol.connection_made(encrypted)
