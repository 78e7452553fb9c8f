"""A proxy between a service and PostgreSQL that fails like a network."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from typing import Self

_PIECE = 64 * 1024
_MAX_SILENCE = 60.0  # seconds


class Way(StrEnum):
    """From the service to the server, or back."""

    REQUESTS = "requests"
    RESPONSES = "responses"


class Link:
    """One connection: the service's end and the server's."""

    def __init__(self, service: socket.socket, server: socket.socket) -> None:
        self._ends = {Way.RESPONSES: service, Way.REQUESTS: server}

    def source(self, way: Way) -> socket.socket:
        return self._ends[Way.RESPONSES if way is Way.REQUESTS else Way.REQUESTS]

    def target(self, way: Way) -> socket.socket:
        return self._ends[way]

    def cut(self) -> None:
        """End the connection. The server may still act on bytes that were passed on before."""
        with suppress(OSError):
            self._ends[Way.RESPONSES].shutdown(socket.SHUT_RDWR)
        self.end(Way.REQUESTS)

    def end(self, way: Way) -> None:
        with suppress(OSError):
            self._ends[way].shutdown(socket.SHUT_WR)

    def close(self) -> None:
        for end in self._ends.values():
            end.close()


class Proxy:
    """Passes bytes between services, which connect to ``port``, and the server.

    ``passed`` counts the bytes of each way; the first of ``replaced`` is passed on as the second.
    """

    def __init__(self, server_port: int) -> None:
        self._server_port = server_port
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        self.replaced = (b"", b"")
        self.passed = dict.fromkeys(Way, 0)
        self._links: set[Link] = set()
        self._passing = threading.Event()
        self._passing.set()
        self._lock = threading.Lock()
        self._fuse: tuple[Way, int] | None = None  # the way, and its remaining bytes

    def cut(self) -> None:
        """Cut all connections; new connections are accepted."""
        for link in list(self._links):
            link.cut()

    def end(self, way: Way) -> None:
        for link in list(self._links):
            link.end(way)

    def cut_after(self, way: Way, count: int) -> None:
        """Cut all connections after this many more bytes this way; for 0, at the next byte."""
        with self._lock:
            self._fuse = (way, count)

    def mend(self) -> None:
        """Cancel ``cut_after``."""
        with self._lock:
            self._fuse = None

    @contextmanager
    def silent(self) -> Iterator[None]:
        self._passing.clear()
        try:
            yield
        finally:
            self._passing.set()

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._passing.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # closing alone does not wake accept
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                service, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(service,), daemon=True).start()

    def _serve(self, service: socket.socket) -> None:
        try:
            server = socket.create_connection(("127.0.0.1", self._server_port))
        except OSError:
            service.close()
            return
        link = Link(service, server)
        self._links.add(link)
        back = threading.Thread(target=self._pump, args=(link, Way.RESPONSES), daemon=True)
        back.start()
        self._pump(link, Way.REQUESTS)
        back.join()
        self._links.discard(link)
        link.close()

    def _pump(self, link: Link, way: Way) -> None:
        with suppress(OSError):
            while data := link.source(way).recv(_PIECE):
                assert self._passing.wait(_MAX_SILENCE)
                passed, is_cut = self._burn(way, len(data))
                link.target(way).sendall(data[:passed].replace(*self.replaced))
                if is_cut:
                    self.cut()
                    return
        link.end(way)

    def _burn(self, way: Way, count: int) -> tuple[int, bool]:
        """How many of these bytes may pass, and whether to cut all connections then."""
        with self._lock:
            is_cut = False
            if self._fuse is not None and self._fuse[0] is way:
                remaining = self._fuse[1]
                is_cut = count >= remaining
                count = min(count, remaining)
                self._fuse = None if is_cut else (way, remaining - count)
            self.passed[way] += count
            return count, is_cut
