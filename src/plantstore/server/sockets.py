"""Sockets: the listening one, and the system's state of the connected ones."""

import asyncio
import fcntl
import resource
import socket
import struct
import sys
import termios
from collections.abc import Callable
from contextlib import suppress

from plantstore.errors import SetupError
from plantstore.settings import Settings

_BACKLOG = 2048
_OTHER_FILES = 200
# Bytes that the system buffers beyond those in flight to a client. Without this bound it buffers
# megabytes that nobody reads.
_MAX_NOT_SENT = 128 * 1024
_TCP_NOTSENT_LOWAT = {"linux": 25, "darwin": 0x201}.get(sys.platform)


def listen(settings: Settings) -> socket.socket:
    """A listening socket.

    :raises SetupError: it cannot listen on the address.
    """
    host, port = settings.host, settings.port
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if _TCP_NOTSENT_LOWAT is not None:  # connections inherit it
            listener.setsockopt(socket.IPPROTO_TCP, _TCP_NOTSENT_LOWAT, _MAX_NOT_SENT)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except (OSError, UnicodeError) as error:  # the latter for invalid host names
        reason = error.strerror if isinstance(error, OSError) else error
        raise SetupError(
            f"cannot listen on {host} port {port}: {reason}; choose another --host or --port"
        ) from None
    listener.set_inheritable(True)
    return listener


async def accept_waiting(
    listener: socket.socket, make_protocol: Callable[[], asyncio.Protocol]
) -> None:
    """Accept the connections that clients have made already: closing the listener resets them."""
    loop = asyncio.get_running_loop()
    with suppress(BlockingIOError):
        for _ in range(_BACKLOG):
            connected, _address = listener.accept()
            await loop.connect_accepted_socket(make_protocol, connected)


def allow_open_files(connections: int) -> None:
    """Raise the limit of open files to what the connections need, if allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + _OTHER_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def find_address(transport: asyncio.BaseTransport) -> str:
    """The client's address; empty if it has none, or has disconnected."""
    name = transport.get_extra_info("peername")
    return str(name[0]) if isinstance(name, tuple) else ""


def reset(transport: asyncio.Transport) -> None:
    """Close a connection without sending the rest, which the system would keep for long."""
    connected = transport.get_extra_info("socket")
    with suppress(OSError, AttributeError):  # it is closed already
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


def count_unacknowledged(transport: asyncio.BaseTransport) -> int:
    """Bytes that were handed to our system, and that the client's has not acknowledged."""
    return _count(transport, termios.TIOCOUTQ)


def count_unread(transport: asyncio.BaseTransport) -> int:
    """Bytes that have arrived, and that we have not received from our system."""
    return _count(transport, termios.FIONREAD)


def _count(transport: asyncio.BaseTransport, what: int) -> int:
    connected = transport.get_extra_info("socket")
    try:
        count = fcntl.ioctl(connected.fileno(), what, b"\0\0\0\0")
    except (OSError, AttributeError):  # it was closed (with TLS it is None), or cannot tell
        return 0
    return int.from_bytes(count, sys.byteorder)
