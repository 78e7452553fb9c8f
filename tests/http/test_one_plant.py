"""One plant by its id: read, replace, delete, and preconditions."""

import httpx
import pytest

from tests.http import non_integers
from tests.http.calls import create_plant, expect_refused, list_plants
from tests.plants import FULL_JSON
from tests.service import JSON

NO_SUCH_TAG = '"0123456789abcdef"'


def replace(client: httpx.Client, body: str, **headers: str) -> httpx.Response:
    return client.put("/plants/1", content=body, headers=JSON | headers)


def test_get_returns_the_plant_as_created(client: httpx.Client) -> None:
    contents = {field: value for field, value in FULL_JSON.items() if field != "id"}
    assert client.post("/plants", json=FULL_JSON).json() == contents
    create_plant(client, -(2**63), "Zoë 🌿")
    response = client.get("/plants/7")
    assert (response.status_code, response.json()) == (200, contents)
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "private, no-cache"
    assert response.headers["vary"] == "Authorization"
    assert client.get(f"/plants/{-(2**63)}").json() == {"name": "Zoë 🌿"}
    expect_refused(client.get("/plants/2"), 40401)


def test_delete_returns_204_without_a_body(client: httpx.Client) -> None:
    create_plant(client, 1, "Fern")
    create_plant(client, 2, "Aloe")
    deleted = client.delete("/plants/1?id=2&limit=x")
    assert (deleted.status_code, deleted.content) == (204, b"")
    always = {"date", "x-request-id", "x-content-type-options"}
    assert set(deleted.headers) == always | {"store-revision"}
    for target in ("/plants/", "/plants"):
        assert client.delete(target).status_code in {404, 405}
    assert list_plants(client) == [{"id": 2, "name": "Aloe"}]


def test_an_id_in_the_path_may_be_any_int64(client: httpx.Client) -> None:
    written_ids = {str(number): number for number in (2**63 - 1, -(2**63), 0, -1)}
    for written, plant_id in (written_ids | {"-0": 0, "%31%32": 12, "%2D1": -1}).items():
        create_plant(client, plant_id, "Fern")
        assert client.delete(f"/plants/{written}").status_code == 204
        message = expect_refused(client.delete(f"/plants/{written}"), 40401)
        assert message == f"there is no plant with the id {plant_id} in this store"


def test_an_id_in_the_path_that_is_not_an_int64_is_refused(client: httpx.Client) -> None:
    encoded = ("%D9%A3", "%2B7", "%20", "1%20", "%201", "1%00", "1%0A", "%00", "%ff", "1;x", "*")
    for written in (*filter(None, non_integers.ALL), *encoded):
        expect_refused(client.delete(f"/plants/{written}"), 40009)


def test_an_update_may_contain_the_paths_id_and_unknown_keys(client: httpx.Client) -> None:
    create_plant(client, 1, "Fern")
    assert replace(client, '{"id": 1, "name": "Moss", "colour": "green"}').status_code == 200
    for other_id in ("2", '"1"', "1.5", "null"):
        message = expect_refused(replace(client, f'{{"id": {other_id}, "name": "Ivy"}}'), 40002)
        assert message.startswith("the body must be a plant: id must be")
    assert list_plants(client) == [{"id": 1, "name": "Moss"}]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("[]", "it is an array, not an object"),
        ('{"name": "x", "tag": null}', "tag must be a string or omitted, not null"),
    ],
)
def test_an_update_follows_the_rules_of_a_create(
    client: httpx.Client, body: str, reason: str
) -> None:
    create_plant(client, 1, "Fern")
    assert expect_refused(replace(client, body), 40002) == f"the body must be a plant: {reason}"


# Preconditions


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', '{} , "other"', '"a",W/{},"b"', "*"])
def test_a_plant_that_matches_if_none_match_returns_304(client: httpx.Client, form: str) -> None:
    create_plant(client, 1, "Fern")
    read = client.get("/plants/1")
    known = {"If-None-Match": form.format(read.headers["etag"])}
    for method in ("GET", "HEAD"):
        response = client.request(method, "/plants/1", headers=known)
        assert (response.status_code, response.content) == (304, b"")
        for name in ("etag", "cache-control", "vary"):
            assert response.headers[name] == read.headers[name]
    replace(client, '{"name": "Moss"}')
    if form != "*":
        assert client.get("/plants/1", headers=known).status_code == 200
    assert client.get("/plants/2", headers=known).status_code == 404


@pytest.mark.parametrize(
    ("name", "form", "is_met"),
    [
        *(("If-Match", form, True) for form in ('"other" , {}', '{},"other"', "{}", "*")),
        *(("If-Match", form, True) for form in ("W/{}", '"{1}-gzip"')),  # as changed by a proxy
        *(("If-Match", form, False) for form in (NO_SUCH_TAG, '"*"', "", "{}x")),
        ("If-Match", ", ".join(100 * [NO_SUCH_TAG]), False),
        *(("If-None-Match", form, False) for form in ("*", "{}", "W/{}", '"other", {}')),
        ("If-None-Match", NO_SUCH_TAG, True),
    ],
)
def test_preconditions_apply_to_reads_and_writes_of_a_plant(
    client: httpx.Client, name: str, form: str, *, is_met: bool
) -> None:
    create_plant(client, 1, "Fern")
    tag = client.get("/plants/1").headers["etag"]
    condition = {name: form.format(tag, tag.strip('"'))}
    read = client.get("/plants/1", headers=condition)
    replaced = replace(client, '{"name": "Fern"}', **condition)
    deleted = client.delete("/plants/1", headers=condition)
    if is_met:
        statuses = [response.status_code for response in (read, replaced, deleted)]
        assert statuses == [200, 200, 204]
        return
    for response in (read, replaced, deleted)[
        name == "If-None-Match" :
    ]:  # which makes the read a 304
        message = expect_refused(response, 41201)
        assert message.startswith("the plant 1 does not match If-Match or If-None-Match")
    assert list_plants(client) == [{"id": 1, "name": "Fern"}]
