"""A service with metrics, and what Prometheus would read from it."""

import re
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import httpx
from msgspec import Struct
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from tests.service import Service

_SECONDS = 30.0


class Scrape(Struct, frozen=True):
    """The metrics of one scrape."""

    families: tuple[Family, ...]

    def samples(self) -> Iterable[Sample]:
        return (sample for family in self.families for sample in family.samples)

    def value(self, name: str, **labels: str) -> float:
        """The sum of all samples of this name that have these labels."""
        return sum(
            sample.value
            for sample in self.samples()
            if sample.name == f"plantstore_{name}" and labels.items() <= sample.labels.items()
        )


def metered(folder: Path, **settings: object) -> Service:
    database = settings.pop("database", None)
    assert database is None or isinstance(database, str)
    meter = "features.metrics.meter"
    quick = {f"{meter}._MEASURE_SECONDS": 0.1, f"{meter}._CHECK_SECONDS": 0.1}
    defaults = {"metrics": "127.0.0.1:0", "workers": 1, **quick}
    return Service(folder, database=database, settings=defaults | settings)


def address_of(service: Service) -> str:
    address: str = re.findall(r"metrics at (\S+)", service.log())[-1]
    return address


def scrape(service: Service) -> Scrape:
    text = httpx.get(address_of(service)).raise_for_status().text
    return Scrape(tuple(text_string_to_metric_families(text)))


def scrape_until(service: Service, condition: Callable[[Scrape], bool]) -> Scrape:
    """The first scrape that meets a condition: workers report now and then."""
    deadline = time.monotonic() + _SECONDS
    latest = Scrape(())
    while True:
        with suppress(httpx.ConnectError):  # the worker that serves them is being replaced
            latest = scrape(service)
            if condition(latest):
                return latest
        assert time.monotonic() < deadline, [
            (sample.name, sample.labels, sample.value)
            for sample in latest.samples()
            if "le" not in sample.labels
        ]
        time.sleep(0.05)
