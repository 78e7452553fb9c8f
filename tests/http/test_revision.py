"""The header ``Store-Revision`` of lists and writes."""

import httpx
import pytest

from tests.http.calls import create_plant

CREATED, IDENTICAL = ({"id": 2, "name": "Aloe"} for _ in range(2))


def revision_of(response: httpx.Response) -> int:
    return int(response.headers["store-revision"])


def test_a_write_returns_the_new_revision(client: httpx.Client) -> None:
    create_plant(client, 1, "Fern")
    key = {"Idempotency-Key": "key"}
    written = [
        client.post("/plants", json=CREATED, headers=key),
        client.put("/plants/2", json={"name": "Moss"}),
        client.put("/plants/2", json={"name": "Moss"}),  # unchanged
        client.post("/plants", json=IDENTICAL, headers=key),  # replayed
        client.delete("/plants/2"),
    ]
    assert list(map(revision_of, written)) == [2, 3, 3, 3, 4]
    assert "store-revision" not in client.delete("/plants/2").headers


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("query", ["", "?limit=0", "?tag=shade"])
def test_a_list_returns_its_revision(client: httpx.Client, method: str, query: str) -> None:
    for revision in (1, 2):
        create_plant(client, revision, "Fern")
        response = client.request(method, f"/plants{query}")
        known = {"If-None-Match": response.headers["etag"]}
        unchanged = client.request(method, f"/plants{query}", headers=known)
        assert (response.status_code, unchanged.status_code) == (200, 304)
        assert revision_of(response) == revision_of(unchanged) == revision


@pytest.mark.parametrize("base", ["/plants", "/stores/{store}/plants"])
def test_a_create_returns_the_plants_location_and_etag(
    client: httpx.Client, store: str, base: str
) -> None:
    created = client.post(base.format(store=store), json={"id": -7, "name": "Fern"})
    plant = client.get(created.url.join(created.headers["location"]))
    assert plant.json() == {"name": "Fern"}
    assert plant.headers["etag"] == created.headers["etag"]
