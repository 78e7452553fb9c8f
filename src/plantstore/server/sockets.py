"""The system's view of sockets and memory: state and limits."""

import asyncio
import fcntl
import resource
import socket
import struct
import sys
import termios
from contextlib import suppress

_OTHER_FILES = 200


def allow_open_files(connections: int) -> None:
    """Raise the limit on open files to what the connections need, if allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + _OTHER_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def give_memory_back() -> None:
    """Return freed memory to the system; glibc keeps it otherwise."""
    import ctypes  # noqa: PLC0415 - takes 3 ms, and only a flood needs it

    with suppress(AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


def reset(transport: asyncio.Transport) -> None:
    """Close a connection and discard unsent bytes, which the system would keep for a long time."""
    connected = transport.get_extra_info("socket")
    with suppress(OSError, AttributeError):  # already closed
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


def count_unacknowledged(transport: asyncio.BaseTransport) -> int:
    """Bytes that our system has sent or buffered, and the client's system has not acknowledged."""
    return _count(transport, termios.TIOCOUTQ)


def count_unread(transport: asyncio.BaseTransport) -> int:
    """Bytes that have arrived at our system, and that we have not received yet."""
    return _count(transport, termios.FIONREAD)


def _count(transport: asyncio.BaseTransport, request: int) -> int:
    try:
        count = fcntl.ioctl(transport.get_extra_info("socket").fileno(), request, b"\0\0\0\0")
    except (OSError, ValueError, AttributeError):  # closed (None with TLS), or not supported
        return 0
    return int.from_bytes(count, sys.byteorder)
