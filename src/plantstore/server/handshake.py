"""The TLS handshake of a connection, without a task of its own."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

Handshake = Coroutine["asyncio.Future[Any]", None, asyncio.Transport | None]


def begin_handshake(handshake: Handshake, done: Callable[[asyncio.Transport | None], None]) -> None:
    """Begin what ``loop.start_tls`` returns, at once: the bytes from now on belong to it.

    ``done`` gets its transport, or None if it fails.
    """

    def proceed(_future: object) -> None:
        try:
            handshake.send(None)
        except StopIteration as end:
            done(end.value)
        except OSError:  # such as ssl.SSLError: the client's problem
            done(None)

    handshake.send(None).add_done_callback(proceed)
