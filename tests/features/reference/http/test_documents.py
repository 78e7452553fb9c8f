"""The interface's OpenAPI document, as it is served."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from building.document import parse_document, read_document
from plantstore.core.model import broken_rule
from tests.http.raw import Message, exchange
from tests.http.routes import ROUTES
from tests.service import Service

DOCUMENTS = pytest.mark.parametrize("path", ["/openapi.json", "/openapi.yaml"])


@pytest.fixture
def source() -> dict[str, Any]:
    return parse_document(read_document())


@pytest.fixture
def anonymous(service: Service) -> Iterator[httpx.Client]:
    with service.client(None) as client:
        yield client


def test_the_document_is_served_as_json(anonymous: httpx.Client, source: dict[str, Any]) -> None:
    response = anonymous.get("/openapi.json")
    assert response.headers["content-type"] == "application/json"
    assert response.json() == source


def test_the_document_is_served_as_yaml(anonymous: httpx.Client) -> None:
    response = anonymous.get("/openapi.yaml")
    assert response.headers["content-type"] == "application/yaml"
    assert parse_document(response.text) == anonymous.get("/openapi.json").json()
    assert not any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(response.text))


@DOCUMENTS
def test_the_document_names_the_public_url(tmp_path: Path, path: str) -> None:
    url = "https://plants.example/garden/"
    with Service(tmp_path, settings={"public_url": url}) as service:
        document = parse_document(exchange(service.origin, Message("GET", path)).body.decode())
    assert document["servers"] == [{"url": url}]


def test_the_document_has_the_promised_versions(source: dict[str, Any]) -> None:
    assert source["openapi"] == "3.1.0"
    assert source["info"]["version"] == "1.0.0"


def test_the_document_has_every_route_and_no_other(source: dict[str, Any]) -> None:
    documented = {
        (method.upper(), path)
        for path, item in source["paths"].items()
        for method in item
        if method != "parameters"
    }
    routes = {
        (
            route.method,
            route.path.replace("/1", "/{id}")
            .replace("/2", "/{number}")
            .replace("/nobody", "/{user}"),
        )
        for route in ROUTES
        if route.path not in ("/", "/docs")
        and route.method != "HEAD"
        and not route.path.startswith("/stores/{store}/")
    }
    assert documented == routes


def test_only_the_schema_plant_also_exists_with_the_prefix_new(source: dict[str, Any]) -> None:
    """Clients generated in Go name the constructor of ``X`` ``NewX``, which would collide."""
    names = source["components"]["schemas"]
    assert [name for name in names if f"New{name}" in names] == ["Plant"]


def test_the_document_and_the_service_allow_the_same_characters(source: dict[str, Any]) -> None:
    schema = source["components"]["schemas"]["Plant"]["properties"]["name"]
    visible, forbidden = re.compile(schema["pattern"]), re.compile(schema["not"]["pattern"])
    for code in (*range(0xD800), *range(0xE000, 0x110000)):
        character = chr(code)
        documented = bool(visible.search(character)) and not forbidden.search(character)
        assert documented == (broken_rule(character, 1) is None), hex(code)
