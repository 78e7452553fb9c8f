"""Serves ``/metrics`` for Prometheus, on its own address, in a few threads."""

import logging
import os
import socket
from collections import deque
from contextlib import suppress
from functools import partial

from prometheus_client import CollectorRegistry, start_http_server, values
from prometheus_client.multiprocess import MultiProcessCollector

from plantstore.features.metrics.catalogue import REGISTRY
from plantstore.features.metrics.starting import FOLDER, read_address, refusing

logger = logging.getLogger(__name__)

_TIMEOUT = 5.0  # seconds
_latest = deque[socket.socket](maxlen=8)


def serve_metrics(address: str, base: int, number: int) -> None:
    """Count in this process; process 0 serves the metrics of all on ``host:port`` until it ends.

    :raises SetupError: the address is not available.
    """
    registry = REGISTRY
    if FOLDER in os.environ:
        # By default each later process would have its own files.
        values.ValueClass = values.MultiProcessValue(lambda: number)  # type: ignore[no-untyped-call]
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # neither has types
    if number:
        return
    with refusing(address):
        host, port = read_address(address, base)
        server, _ = start_http_server(port, host, registry)
    server.get_request = partial(_accept, server.socket)  # type: ignore[method-assign]  # it has no
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # setting for either
    logger.info("metrics at http://%s:%d/metrics", address.rpartition(":")[0], server.server_port)


def _accept(listener: socket.socket) -> tuple[socket.socket, object]:
    """The next connection; a connection that is still open after eight others is closed."""
    connection, address = listener.accept()
    connection.settimeout(_TIMEOUT)
    if len(_latest) == _latest.maxlen:
        with suppress(OSError):  # already closed
            _latest[0].shutdown(socket.SHUT_RDWR)
    _latest.append(connection)
    return connection, address
