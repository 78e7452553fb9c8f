"""Serves ``/metrics`` for Prometheus, on an address and in threads of its own."""

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import accumulate
from socket import SHUT_RDWR, socket
from threading import Thread

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector as BaseCollector
from prometheus_client.utils import floatToGoString

from plantstore.errors import SetupError
from plantstore.metrics.catalogue import CATALOGUE, PREFIX, Kind, Metric
from plantstore.metrics.numbers import Gauges, Key, Numbers
from plantstore.metrics.reports import Totals, open_channel

logger = logging.getLogger(__name__)


@contextmanager
def serve_metrics(address: str, constants: Gauges) -> Iterator[socket]:
    """Serve ``/metrics`` on ``host:port`` within the block; workers report to the socket given.

    ``constants`` are the gauges that no worker measures.

    :raises SetupError: the address cannot be had.
    """
    totals = Totals()
    registry = CollectorRegistry()
    registry.register(Collector(totals, constants))
    host, _, port = address.rpartition(":")
    try:
        server, _ = start_http_server(int(port), host.strip("[]"), registry)
    except (OSError, OverflowError, UnicodeError) as error:  # the latter for names of no host
        reason = error.strerror if isinstance(error, OSError) else error
        raise SetupError(
            f"cannot serve metrics on {address}: {reason}; choose another --metrics"
        ) from None
    logger.info("metrics at http://%s:%d/metrics", host, server.server_port)
    receiving, sending = open_channel()
    with closing(receiving), closing(sending), closing(server.socket):
        Thread(target=totals.receive, args=[receiving], name="metrics", daemon=True).start()
        try:
            yield sending
        finally:
            server.shutdown()
            receiving.shutdown(SHUT_RDWR)


class Collector(BaseCollector):
    """Gives the totals as Prometheus' families of samples."""

    def __init__(self, totals: Totals, constants: Gauges) -> None:
        self._totals = totals
        self._constants = constants

    def collect(self) -> Iterator[Family]:
        """All metrics of the catalogue."""
        counted = self._totals.counted.copy()  # another thread adds to it
        workers = self._totals.gauges()
        gauges = [*workers, self._constants | {("workers",): len(workers)}]
        for metric in CATALOGUE:
            if metric.kind is Kind.GAUGE:
                yield _gauge(metric, gauges)
            elif metric.kind is Kind.COUNTER:
                yield _counter(metric, counted)
            else:
                yield _histogram(metric, counted)


def _gauge(metric: Metric, gauges: list[Gauges]) -> Family:
    family = GaugeMetricFamily(PREFIX + metric.name, metric.description, labels=metric.labels)
    for key in sorted({key for one in gauges for key in one if key[0] == metric.name}):
        family.add_metric(key[1:], metric.merge(one[key] for one in gauges if key in one))
    return family


def _counter(metric: Metric, counted: Numbers) -> Family:
    family = CounterMetricFamily(PREFIX + metric.name, metric.description, labels=metric.labels)
    for key, (count,) in _of(metric, counted):
        family.add_metric(key[1:], count)
    return family


def _histogram(metric: Metric, counted: Numbers) -> Family:
    family = HistogramMetricFamily(PREFIX + metric.name, metric.description, labels=metric.labels)
    bounds = [*map(floatToGoString, metric.bounds), "+Inf"]
    for key, (*counts, total) in _of(metric, counted):
        family.add_metric(key[1:], list(zip(bounds, accumulate(counts), strict=True)), total)
    return family


def _of(metric: Metric, counted: Numbers) -> list[tuple[Key, list[float]]]:
    return sorted((key, list(cells)) for key, cells in counted.items() if key[0] == metric.name)
