"""A relay to a service, which passes on each part of its responses late."""

import socket
import threading
import time
from contextlib import suppress
from typing import Self


class LateRelay:
    """Listens on ``port``; ``latency`` is in seconds."""

    def __init__(self, service_port: int) -> None:
        self.latency = 0.0
        self._service_port = service_port
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)  # closing alone does not wake accept
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                browser, _ = self._listener.accept()
                service = socket.create_connection(("127.0.0.1", self._service_port))
                for ends in ((browser, service, False), (service, browser, True)):
                    threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, is_late: bool) -> None:  # noqa: FBT001 - a thread's argument
        with suppress(OSError), source, target:
            while part := source.recv(65536):
                time.sleep(self.latency if is_late else 0)
                target.sendall(part)
            target.shutdown(socket.SHUT_RDWR)
