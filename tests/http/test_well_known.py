"""What programs look for below /.well-known/."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urljoin

import httpx

from tests.http.calls import expect_refused
from tests.http.test_documents import CONTACT
from tests.service import Service

CATALOG = "/.well-known/api-catalog"


def links_of(catalog: httpx.Response) -> dict[str, list[str]]:
    """The targets by their relation, resolved as a client does."""
    (found,) = catalog.json()["linkset"]
    assert urljoin(str(catalog.url), found.pop("anchor"))
    return {
        relation: [urljoin(str(catalog.url), link["href"]) for link in links]
        for relation, links in found.items()
    }


def test_the_catalog_leads_to_documents_of_the_types_that_it_says(service: Service) -> None:
    with service.client(None) as client:
        catalog = client.get(CATALOG)
        assert catalog.headers["content-type"].startswith("application/linkset+json; profile=")
        assert client.head(CATALOG).headers["link"] == '<api-catalog>; rel="api-catalog"'
        assert set(links_of(catalog)) == {"service-desc", "service-doc", "status"}
        for links in catalog.json()["linkset"][0].values():
            for link in links if isinstance(links, list) else ():
                found = client.get(urljoin(CATALOG, link["href"]))
                assert found.headers["content-type"].partition(";")[0] == link["type"]
        assert client.options(CATALOG).headers["allow"] == "GET, HEAD, OPTIONS"


def test_without_a_contact_there_is_no_text(service: Service) -> None:
    with service.client(None) as client:
        expect_refused(client.get(CONTACT), 40402)


def test_what_the_operator_says_stands_below_well_known(tmp_path: Path) -> None:
    contact = "mailto:security@plants.example"
    settings = {"public_url": "https://plants.example/garden", "security_contact": contact}
    with Service(tmp_path, settings=settings) as own, own.client(None) as client:
        assert links_of(client.get(CATALOG))["service-doc"] == [
            "https://plants.example/garden/docs"
        ]
        told = client.get(CONTACT)
        assert told.headers["content-type"] == "text/plain; charset=utf-8"
        assert client.options(CONTACT).headers["allow"] == "GET, HEAD, OPTIONS"
    fields = dict(line.split(": ", 1) for line in told.text.splitlines())
    assert fields["Contact"] == contact
    until = datetime.fromisoformat(fields["Expires"]) - datetime.now(UTC)
    assert timedelta(days=28) < until < timedelta(days=31)
