"""The tags of a store, each with its current number of plants."""

import httpx
import pytest

from tests.databases import ON_BOTH
from tests.http.calls import create_plant, expect_refused
from tests.service import Service

pytestmark = ON_BOTH

TAGS = ("b", "", "ä\u2028", "a", '"\\', "B", "b", None, "b", "a")


def test_tags_have_their_current_number_of_plants(client: httpx.Client, service: Service) -> None:
    assert client.get("/tags").content == b"[]"
    for plant_id, tag in enumerate(TAGS):
        create_plant(client, plant_id, "Fern", tag)
    expected = [{"tag": tag, "count": TAGS.count(tag)} for tag in sorted({*TAGS} - {None}, key=str)]
    for _ in range(3):  # from the database, from the cache, by the request's bytes
        listed = client.get("/tags")
        assert listed.json() == expected
        assert listed.headers["store-revision"] == client.get("/plants").headers["store-revision"]
    page, collected = client.get("/tags?limit=2"), []
    while "next" in page.links:
        collected += page.json()
        page = client.get(page.url.join(page.links["next"]["url"]))
    assert collected + page.json() == expected
    known = {"If-None-Match": listed.headers["etag"]}
    for _ in range(2):
        assert client.get("/tags", headers=known).status_code == 304
    assert client.get("/plants", headers=known).status_code == 200
    assert client.head("/tags").headers["content-length"] == str(len(listed.content))
    assert client.delete("/plants/5").status_code == 204
    assert client.get("/tags", headers=known).json() == [
        row for row in expected if row["tag"] != "B"
    ]
    with service.client(service.make_token("others", "eve")) as other:
        assert other.get("/tags").json() == []


@pytest.mark.parametrize("name", ["tag", "Limit", "q"])
def test_parameters_of_the_plant_list_are_refused(client: httpx.Client, name: str) -> None:
    assert expect_refused(client.get(f"/tags?{name}=1"), 40013).endswith("are limit, after")
    assert client.get("/tags?_=1").status_code == 200
