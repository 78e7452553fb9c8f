"""TLS: the certificate of one process, and what arrives, which is decrypted in turns of its sender.

The certificate is reloaded on request and when its files change. Invariant: new handshakes always
get a certificate with its own key: half-written files, or files that do not match, change nothing.
"""

import asyncio
import logging
import os
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plantstore.core.errors import SetupError
from plantstore.core.fair_queue import FairQueue, Key
from plantstore.core.pools import Pools

if TYPE_CHECKING:
    from plantstore.server.connection import Connection

logger = logging.getLogger(__name__)

_INTERVAL = 2.0  # seconds between two checks of the files
_HEADER = 5  # bytes before each record; the last two are its length
_MAX_RECORDS = 8  # decrypted at a time, of a handshake 1
_HANDSHAKE = b"\x16"  # the first byte of its records
_MAX_HANDSHAKE = 8 * 1024  # bytes from a client: OpenSSL takes 29 ms for a hello of 64 KiB
# Those of TLS 1.2: others take 6 times as long, and a list is encrypted at once.
_CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20"
_BEGIN = 32  # the cost to begin a handshake: one in each round
_received = memoryview(bytearray(16 * 1024))  # at a time, by one of the connections


class Certificate:
    """The files ``cert`` and ``key``; ``context`` is for new handshakes.

    :raises SetupError: the files are not a certificate and its key.
    """

    def __init__(self, cert: str, key: str) -> None:
        self._cert, self._key = cert, key
        self._tried = self._seen = self._read_stamp()
        self.context = self._load()

    async def follow_files(self) -> None:
        """Load the files whenever they change, until cancelled."""
        while True:
            await asyncio.sleep(_INTERVAL)
            stamp = self._read_stamp()
            # Unchanged between two checks: nobody is writing the files.
            if stamp == self._seen != self._tried:
                self.reload()
            self._seen = stamp

    def reload(self) -> None:
        """Load the files, or keep the current certificate and log why."""
        self._tried = self._read_stamp()
        try:
            self.context = self._load()
        except SetupError as error:
            logger.error("the TLS certificate is unchanged: %s", error)  # noqa: TRY400 - the reason is enough
        else:
            logger.info("the TLS certificate was reloaded from %s", self._cert)

    def _load(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            for path in (self._cert, self._key):
                Path(path).read_bytes()
            context.load_cert_chain(self._cert, self._key)
        except ssl.SSLError:
            raise SetupError(
                f"cannot use tls_cert {self._cert} with tls_key {self._key}: give a certificate "
                "and its own private key, both as PEM files"
            ) from None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise SetupError(f"cannot read tls_cert or tls_key at {path}: {reason}") from None
        context.set_ecdh_curve("prime256v1")
        context.set_ciphers(_CIPHERS)
        return context

    def _read_stamp(self) -> tuple[tuple[int, ...], ...]:
        """A stamp that changes when the files, or the links to them, change."""
        stamps = []
        for path in (self._cert, self._key):
            with suppress(OSError):  # the file is missing while it is replaced
                stat = os.stat(path)  # noqa: PTH116 - a path as the settings have it
                stamps.append((stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns))
        return tuple(stamps)


class TlsInput(asyncio.BufferedProtocol):
    """Stands between a socket's transport and asyncio's TLS protocol.

    A handshake takes a millisecond of the event loop, and much memory: so ``begin`` is called when
    the client's whole hello has arrived. A client may also send many tiny records, or a new key
    with each: so what arrives is decrypted in turns.

    Nothing is received while records wait, or while the connection pauses reading. So the
    connection uses this as its transport.
    """

    def __init__(
        self,
        connection: "Connection",
        transport: asyncio.Transport,
        turns: FairQueue,
        pools: Pools,
        begin: Callable[[], None],
    ) -> None:
        self._connection, self._transport = connection, transport
        self._turns, self._pools, self._begin = turns, pools, begin
        self._tls: Any = None  # asyncio's TLS protocol, from the hello on
        self._decrypted: Any = None  # the transport above TLS, after the handshake
        self._data = b""  # not yet decrypted
        self._missing = 0  # bytes of the last record
        self._handshaken = 0  # bytes of the handshake's records
        self._is_paused = self._is_waiting = False
        transport.set_protocol(self)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - of the transport above TLS
        return getattr(self._decrypted, name)

    def open(self, decrypted: Any) -> Any:  # noqa: ANN401 - it is a transport
        """The connection's transport after the handshake; None if the handshake failed."""
        self._decrypted = decrypted
        if decrypted is None:
            return None
        self.write = decrypted.write  # the most frequent call
        return self

    def get_buffer(self, _size: int) -> memoryview:
        return _received

    def buffer_updated(self, count: int) -> None:
        """Decrypt the first records now, if it is their sender's turn."""
        self._data += _received[:count]
        if self._tls and not (self._is_waiting or self._is_paused):
            end, cost = self._find_end()
            if end and self._turns.try_take(self._payer, cost):
                self._decrypt(end)
        if self._data or self._is_paused:
            self._go_on()

    def connection_lost(self, error: Exception | None) -> None:
        self._data = b""
        (self._tls or self._connection).connection_lost(error)
        del self._connection, self._begin  # the connection has this

    def pause_reading(self) -> None:
        self._is_paused = True
        self._go_on()

    def resume_reading(self) -> None:
        self._is_paused = False
        self._go_on()

    @property
    def _payer(self) -> Key:
        payer, network = self._connection.turns_of, self._connection.network
        if payer != network:
            return payer
        # A handshake that has begun has other turns than the network's new clients.
        return self._pools.find_group(network), network[1] if self._tls else network

    def _go_on(self) -> None:
        """Wait for a turn to decrypt the next records, or receive more."""
        end, cost = self._find_end()
        if end and not (self._is_waiting or self._is_paused):
            self._is_waiting = True
            self._turns.put(self._payer, cost, self._take_turn)
        if end or self._is_paused:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _take_turn(self) -> bool:
        """Begin the handshake, or decrypt the next records."""
        self._is_waiting = False
        end, _ = self._find_end()
        if self._is_paused or not end:
            return False
        if self._tls is None:
            if self._transport.is_closing():
                return False
            self._is_waiting = True
            self._begin()  # it puts its protocol in the place of this one
            self._tls = self._transport.get_protocol()
            for name in ("pause_writing", "resume_writing", "eof_received"):
                setattr(self, name, getattr(self._tls, name))
            self._transport.set_protocol(self)
            asyncio.get_running_loop().call_soon(self._take_turn)  # after what begins it
            return True
        self._decrypt(end)
        self._go_on()
        return True

    def _find_end(self) -> tuple[int, int]:
        """Where the records to decrypt next end, which may be incomplete, and their cost."""
        end, cost, size = self._missing, 1, len(self._data)
        most = 1 if self._decrypted is None else _MAX_RECORDS
        while end + _HEADER <= size and cost <= most:
            end += _HEADER + int.from_bytes(self._data[end + _HEADER - 2 : end + _HEADER])
            cost += 1
        if self._tls is None:  # the client's hello must be complete
            is_hello = self._data.startswith(_HANDSHAKE)
            return (0 if is_hello and min(end, _MAX_HANDSHAKE) > size else end), _BEGIN
        return (end, cost) if size else (0, 0)

    def _decrypt(self, end: int) -> None:
        piece, self._data = self._data[:end], self._data[end:]
        if self._decrypted is None and piece[self._missing :].startswith(_HANDSHAKE):
            self._handshaken += end - self._missing
            if self._handshaken > _MAX_HANDSHAKE:
                self._data = b""
                self._transport.abort()
                return
        self._missing = end - len(piece)
        began = time.perf_counter()
        self._tls.get_buffer(len(piece))[: len(piece)] = piece
        self._tls.buffer_updated(len(piece))
        if self._decrypted is None:
            self._turns.charge_time(self._payer, time.perf_counter() - began)
