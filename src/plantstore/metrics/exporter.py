"""Serves ``/metrics`` for Prometheus, on an address and in threads of its own."""

import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from plantstore.errors import SetupError
from plantstore.metrics.catalogue import REGISTRY
from plantstore.metrics.folder import FOLDER, is_alive

logger = logging.getLogger(__name__)


@contextmanager
def serve_metrics(address: str) -> Iterator[None]:
    """Serve ``/metrics`` on ``host:port`` within the block.

    :raises SetupError: the address cannot be had.
    """
    registry = REGISTRY
    if FOLDER in os.environ:
        registry = CollectorRegistry()
        registry.register(AllWorkers())
    host, _, port = address.rpartition(":")
    try:
        server, _ = start_http_server(int(port), host.strip("[]"), registry)
    except (OSError, OverflowError, UnicodeError) as error:  # the latter for names of no host
        reason = error.strerror if isinstance(error, OSError) else error
        raise SetupError(
            f"cannot serve metrics on {address}: {reason}; choose another --metrics"
        ) from None
    logger.info("metrics at http://%s:%d/metrics", host, server.server_port)
    with closing(server.socket):
        try:
            yield
        finally:
            server.shutdown()


class AllWorkers(Collector):
    """The numbers of all workers together: all that they have counted, gauges of those alive."""

    def collect(self) -> Iterable[Metric]:
        """See ``Collector``."""
        files = Path(os.environ[FOLDER]).glob("*_*.db")
        current = [str(file) for file in files if file.name[:5] != "gauge" or _is_of_living(file)]
        families: Iterable[Metric]
        families = MultiProcessCollector.merge(current)  # type: ignore[no-untyped-call]  # it has no types
        return families


def _is_of_living(file: Path) -> bool:
    return is_alive(int(file.stem.rpartition("_")[2]))
