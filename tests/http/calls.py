"""Calls that most tests make, through a client library."""

import json
from pathlib import Path
from typing import Any

import httpx

from tests.http.expect import expect_error
from tests.http.raw import Response
from tests.service import JSON, Service

ALL_FIELDS = {"include": "id"}


def create(client: httpx.Client, body: bytes | str, **headers: str) -> httpx.Response:
    return client.post("/plants", content=body, headers=JSON | headers)


def create_plant(client: httpx.Client, plant_id: int, name: str, tag: str | None = None) -> None:
    """Create a plant; fail if it is refused."""
    plant: dict[str, Any] = {"id": plant_id, "name": name}
    if tag is not None:
        plant["tag"] = tag
    response = create(client, json.dumps(plant))
    assert response.status_code == 200, response.text


def create_in(folder: Path, url: str, store: str, plant_id: int) -> None:
    """Create a plant in a store of a database that is not served."""
    with Service(folder, database=url) as service, service.client(service.make_token(store)) as it:
        create_plant(it, plant_id, "Fern")


def list_plants(client: httpx.Client, **parameters: str) -> Any:  # noqa: ANN401 - JSON
    """The plants that the store has, with all fields by default."""
    return client.get("/plants", params=ALL_FIELDS | parameters).raise_for_status().json()


def expect_refused(response: httpx.Response, number: int) -> str:
    """Check that the response is exactly this error; return its message."""
    raw = Response(response.status_code, dict(response.headers), response.content)
    assert response.request.method != "HEAD"
    expect_error(raw, number)
    message: str = raw.json["message"]
    return message
