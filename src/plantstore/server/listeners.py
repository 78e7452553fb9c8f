"""The listening sockets, and how clients are accepted.

There is a TCP or Unix socket of our own, or sockets from the supervisor. Invariant: a Unix socket's
file is replaced only if nobody listens on it, and removed only if it is still ours.
"""

import asyncio
import errno
import logging
import os
import socket
import stat
import struct
import sys
from array import array
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from plantstore.core.errors import SetupError
from plantstore.core.failures import FailureLog
from plantstore.core.fair_queue import CONNECTED, Key, Work
from plantstore.core.pools import network_of
from plantstore.core.proxies import Proxies
from plantstore.core.settings import UNIX, Settings
from plantstore.server.messages import Application

logger = logging.getLogger(__name__)

_NO_SUCH_ADDRESS = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
_FIRST_FD = 3  # the first socket that systemd passes
# Bytes that the system buffers beyond those in flight to a client. Without this bound it buffers
# megabytes that nobody reads.
_MAX_NOT_SENT = 128 * 1024
_TCP_NOTSENT_LOWAT = {"linux": 25, "darwin": 0x201}.get(sys.platform)
BACKLOG = 4096
_PARTS = 16
# For Linux: load the end of an IPv4 address or an IPv6 /64, XOR it with a number that no client
# knows, multiply it, so that neighbours differ in the first 4 bits, and return these.
_SECRET = int.from_bytes(os.urandom(4), "big")
_CHOOSE_PART = struct.pack(
    "=" + 5 * "HxxI", 0x20, 0xFFF0_000C, 0xA4, _SECRET, 0x24, 0x9E37_79B1, 0x74, 28, 0x16, 0
)
_ATTACH_REUSEPORT_CBPF = 51
_ACCEPTED = "accepted"  # in the place of a store: all listeners together
_IN_A_ROW, _COST = 12, 3  # clients that are accepted in a turn, and its cost
_RETRY_SECONDS = 1.0

Connect = Callable[[socket.socket, str], bool]


@contextmanager
def listen(settings: Settings) -> Iterator[list[socket.socket]]:
    """The listening sockets, within the block.

    :raises SetupError: the service cannot listen there.
    """
    listeners = _inherit() or ([_listen_unix(settings)] if settings.uds else _listen_tcp(settings))
    ours = _identify(settings.uds)
    for listener in listeners:
        if listener.family != socket.AF_UNIX and _TCP_NOTSENT_LOWAT is not None:
            listener.setsockopt(socket.IPPROTO_TCP, _TCP_NOTSENT_LOWAT, _MAX_NOT_SENT)
    try:
        yield listeners
    finally:
        for listener in listeners:
            listener.close()
        if settings.uds and ours is not None and _identify(settings.uds) == ours:
            Path(settings.uds).unlink(missing_ok=True)


def describe(listener: socket.socket, scheme: str) -> str:
    name = listener.getsockname()
    return f"unix:{name}" if listener.family == socket.AF_UNIX else make_url(scheme, *name[:2])


def make_url(scheme: str, host: str, port: int) -> str:
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def make_local(url: str) -> str:
    """The URL for clients on this machine, given the URL that the service listens on."""
    return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")


def is_loopback(listener: socket.socket) -> bool:
    """Whether only clients on this machine can reach it."""
    return listener.family == socket.AF_UNIX or ip_address(listener.getsockname()[0]).is_loopback


def _inherit() -> list[socket.socket]:
    """The sockets that systemd passes by LISTEN_FDS; child processes do not get them."""
    count, pid = os.environ.pop("LISTEN_FDS", "0"), os.environ.pop("LISTEN_PID", "")
    os.environ.pop("LISTEN_FDNAMES", None)
    if pid != str(os.getpid()) or not count.isdigit():
        return []
    return [socket.socket(fileno=_FIRST_FD + number) for number in range(int(count))]


def _listen_tcp(settings: Settings) -> list[socket.socket]:
    """Sockets on the first of the host's addresses that this machine has."""
    host, port = settings.host, settings.port
    name = host.encode() if host.isascii() else host  # else Python imports its IDNA codec, in 2 ms
    reason: object = None
    advice = "choose another --port or --host"
    try:
        addresses = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, _, _, _, address in addresses:
            try:
                return _divide(_bind(family, address, socket.SO_REUSEADDR))
            except OSError as error:
                if error.errno not in _NO_SUCH_ADDRESS:  # such as ::1 without IPv6
                    raise
                reason = error.strerror
    except (OSError, UnicodeError) as error:  # UnicodeError: an invalid host name
        reason = error.strerror if isinstance(error, OSError) else error
        if isinstance(error, PermissionError):
            advice = f"ports below 1024 need a systemd socket or a proxy: {advice}"
    raise SetupError(f"cannot listen on {host} port {port}: {reason}; {advice}")


def _divide(listener: socket.socket) -> list[socket.socket]:
    """The socket, shared once it listens, and others: networks wait in several queues."""
    if sys.platform != "linux":
        return [listener]
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    address, options = listener.getsockname(), (socket.SO_REUSEADDR, socket.SO_REUSEPORT)
    parts = [listener, *(_bind(listener.family, address, *options) for _ in range(_PARTS - 1))]
    program = array("B", _CHOOSE_PART)
    pointer = struct.pack("HL", len(program) // 8, program.buffer_info()[0])
    with suppress(OSError):  # as in gVisor: the kernel divides clients in its own way
        listener.setsockopt(socket.SOL_SOCKET, _ATTACH_REUSEPORT_CBPF, pointer)
    return parts


def _bind(family: int, address: tuple[Any, ...] | str, *options: int) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        for option in options:
            listener.setsockopt(socket.SOL_SOCKET, option, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def _listen_unix(settings: Settings) -> socket.socket:
    path, mode = str(settings.uds), int(settings.uds_mode, 8)
    mask = os.umask(0o777 & ~mode)  # the file never has another mode
    try:
        _remove_stale(path)
        return _bind(socket.AF_UNIX, path)
    except OSError as error:
        reason = error.strerror or error  # if the path is too long, there is no strerror
        raise SetupError(f"cannot listen on {path}: {reason}; choose another --uds") from None
    finally:
        os.umask(mask)


def _remove_stale(path: str) -> None:
    """Remove a socket that nobody listens on, as after a crash."""
    try:
        is_socket = stat.S_ISSOCK(os.lstat(path).st_mode)
    except FileNotFoundError:
        return
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as probe:
        try:
            if is_socket:
                probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)  # noqa: PTH108 - the path as bind takes it
            return
    raise OSError(0, "another process listens there" if is_socket else "it is a file, not a socket")


def _identify(path: str | None) -> tuple[int, int] | None:
    """The file's device and inode; None without a file."""
    with suppress(OSError):
        status = os.lstat(path or "")
        return status.st_dev, status.st_ino
    return None


class Acceptor:
    """Accepts clients on listening sockets, and passes each to ``connect``, with its address.

    Networks take turns, so a flood delays mostly its own. A large one gives way to one with few
    clients. ``connect`` returns whether the client is still there: one that has gone takes no turn.
    Clients of a trusted proxy do not wait: who they are is known once they send requests.
    """

    def __init__(self, application: Application, connect: Connect, settings: Settings) -> None:
        self._proxies = Proxies(settings.trusted_proxies)
        self._turns, self._pools = application.turns, application.pools
        self._waiting = self._pools.accepted
        self._connect, self._loop = connect, asyncio.get_running_loop()
        self._failures = FailureLog(logger, "connections are accepted again")

    def listen(self, listener: socket.socket) -> None:
        if listener.fileno() >= 0:  # not closed before a retry
            listener.settimeout(0)
            self._loop.add_reader(listener, self._accept_some, listener)

    def close(self, listener: socket.socket) -> None:
        """Close the socket, after the last clients: it would reset their connections."""
        self._accept(listener, BACKLOG)
        self._loop.remove_reader(listener)
        listener.close()

    def _accept_some(self, listener: socket.socket) -> None:
        key = _ACCEPTED, listener.fileno()
        if not self._turns.is_waiting(key):
            self._turns.put(key, _COST, partial(self._accept, listener, _IN_A_ROW))

    def _accept(self, listener: socket.socket, count: int) -> bool:
        if listener.fileno() < 0:  # closed meanwhile
            return False
        is_unix = listener.family == socket.AF_UNIX
        try:
            with suppress(BlockingIOError, ConnectionAbortedError):
                for _ in range(count):
                    client, name = listener.accept()
                    address = UNIX if is_unix else name[0]
                    if self._proxies.trust(address):
                        self._connect(client, address)
                    else:
                        self._put(client, address)
        except OSError as error:  # such as too many open files
            self._failures.add("cannot accept connections: %s", error)
            self._loop.remove_reader(listener)
            self._loop.call_later(_RETRY_SECONDS, self.listen, listener)
        else:
            self._failures.note_success()
        return True

    def _put(self, client: socket.socket, address: str) -> None:
        """Let a client wait for its network's turn, if there is room."""
        network = network_of(address)
        try:
            client.getpeername()  # it fails if the client has gone
            has_room = self._waiting.can_make_room(network)
        except OSError:
            has_room = False
        if not has_room:
            client.close()
            return
        key = self._pools.find_group(network), network
        work = partial(self._serve, client, address)
        self._turns.put(key, CONNECTED, work)
        self._waiting.put(client, network, partial(self._evict, key, client, work))

    def _serve(self, client: socket.socket, address: str) -> bool:
        self._waiting.remove(client)
        return self._connect(client, address)

    def _evict(self, key: Key, client: socket.socket, work: Work) -> None:
        self._turns.remove(key, CONNECTED, work)
        client.close()
