"""A real scrape has what the catalogue, the dashboard and the alerts name."""

import json
import re
from pathlib import Path

import pytest
import yaml

from plantstore.features.metrics.catalogue import CATALOGUE, PREFIX
from tests.databases import SQLITE, postgres_kind
from tests.features.metrics.scraping import Scrape, metered, scrape_until
from tests.postgres.server import PostgresServer
from tests.service import Service

MONITORING = Path(__file__).parents[3] / "docs" / "monitoring"
# Words of expressions that are not our metrics; Prometheus adds ``up``.
WORDS = {"absent", "and", "by", "histogram_quantile", "max", "min", "or", "rate", "sum"} | {
    "clamp_max",
    "time",
    "up",
}
ADDED = {"instance", "job", "le"}  # labels that Prometheus adds
QUOTED_OR_RANGE = re.compile(r'"(?:[^"\\]|\\.)*"|\[[^\]]*\]')
SELECTOR = re.compile(r"\{([^}]*)\}")
GROUPING = re.compile(r"\bby \(([^)]*)\)")
WORD = re.compile(r"(?<![\w.])[a-zA-Z_]\w*")


@pytest.fixture(scope="module")
def scrapes(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: PostgresServer
) -> list[Scrape]:
    """A scrape for each kind of database, after requests of several operations."""
    scrapes = []
    for kind in (SQLITE, postgres_kind(postgres_server)):
        folder = tmp_path_factory.mktemp(kind.name)
        with kind.fresh(folder) as url, metered(folder, database=url) as service:
            scrapes.append(send_requests(service))
    return scrapes


def send_requests(service: Service) -> Scrape:
    with service.client(service.make_token()) as client:
        client.post("/plants", json={"id": 1, "name": "Fern"})
        client.get("/plants")
        client.delete("/plants/1")
        client.get("/me")
        client.get("/nowhere")
    return scrape_until(
        service, lambda it: it.value("requests_total", status="404") == it.value("ready") == 1
    )


def test_a_scrape_has_the_metrics_of_the_catalogue(scrapes: list[Scrape]) -> None:
    families = [family for scrape in scrapes for family in scrape.families]
    assert {(family.name, family.type, family.documentation) for family in families} == {
        (PREFIX + metric.name.removesuffix("_total"), metric.kind, metric.description)
        for metric in CATALOGUE
    }


def test_every_metric_has_samples_with_the_labels_of_the_catalogue(scrapes: list[Scrape]) -> None:
    samples = [sample for scrape in scrapes for sample in scrape.samples()]
    for metric in CATALOGUE:
        name = PREFIX + metric.name + ("_count" if metric.kind == "histogram" else "")
        labels = {frozenset(sample.labels) for sample in samples if sample.name == name}
        assert labels == {frozenset(metric.labels)}, name


def test_expressions_name_existing_metrics_and_labels(scrapes: list[Scrape]) -> None:
    names = {sample.name for scrape in scrapes for sample in scrape.samples()}
    known = ADDED | {label for metric in CATALOGUE for label in metric.labels}
    dashboard = json.loads((MONITORING / "dashboard.json").read_text(encoding="utf-8"))
    alerts = yaml.safe_load((MONITORING / "alerts.yml").read_text(encoding="utf-8"))
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    expressions += [rule["expr"] for group in alerts["groups"] for rule in group["rules"]]
    for expression in expressions:
        bare = QUOTED_OR_RANGE.sub("", expression)
        parts = [*SELECTOR.findall(bare), *GROUPING.findall(bare)]
        labels = {word for part in parts for word in WORD.findall(part)}
        assert labels <= known, expression
        words = set(WORD.findall(GROUPING.sub("by", SELECTOR.sub("", bare))))
        assert words - WORDS <= names, expression
        assert words & (names | {"up"}), expression
