"""A server that refuses each connection as PostgreSQL does, in any language."""

import socket
import struct
import threading
from contextlib import suppress
from typing import Self

_TLS_REQUEST, _GSS_REQUEST = 80877103, 80877104


class RefusingServer:
    """A listener on a port of loopback, 0 for a free one; ``refused`` counts the connections."""

    def __init__(self, port: int, sqlstate: str, message: str) -> None:
        fields = {"S": "FATAL", "V": "FATAL", "C": sqlstate, "M": message}
        body = "".join(f"{key}{value}\0" for key, value in fields.items()).encode() + b"\0"
        self._error = b"E" + struct.pack("!i", 4 + len(body)) + body
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port: int = self._listener.getsockname()[1]
        self.refused = 0

    def __enter__(self) -> Self:
        threading.Thread(target=self._run, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the port to another server."""
        with suppress(OSError):  # it is closed already
            self._listener.shutdown(socket.SHUT_RDWR)  # closing alone does not wake accept
        self._listener.close()

    def _run(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with client, suppress(OSError):
                while _read_startup(client) in {_TLS_REQUEST, _GSS_REQUEST}:
                    client.sendall(b"N")
                client.sendall(self._error)
                self.refused += 1


def _read_startup(client: socket.socket) -> int:
    """The code of the client's first message: the protocol's version, or a request before it."""
    (length,) = struct.unpack("!i", client.recv(4, socket.MSG_WAITALL))
    code: int = struct.unpack("!i", client.recv(length - 4, socket.MSG_WAITALL)[:4])[0]
    return code
