"""One plant by its id: reading and replacing it, and doing so only if it is as it was."""

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.http.calls import create_plant, expect_refused, list_plants
from tests.http.raw import Message, exchange
from tests.plants import FULL_JSON
from tests.service import JSON, Service

NO_SUCH_TAG = '"0123456789abcdef"'


def replace(client: httpx.Client, body: str, **headers: str) -> httpx.Response:
    return client.put("/plants/1", content=body, headers=JSON | headers)


def test_a_plant_is_read_as_it_was_created(client: httpx.Client) -> None:
    contents = {field: value for field, value in FULL_JSON.items() if field != "id"}
    assert client.post("/plants", json=FULL_JSON).json() == contents
    create_plant(client, -(2**63), "Zoë 🌿")
    found = client.get("/plants/7")
    assert (found.status_code, found.json()) == (200, contents)
    assert found.headers["content-type"] == "application/json"
    assert found.headers["cache-control"] == "private, no-cache"
    assert found.headers["vary"] == "Authorization"
    assert client.get(f"/plants/{-(2**63)}").json() == {"name": "Zoë 🌿"}
    expect_refused(client.get("/plants/2"), 40401)


def test_the_body_of_an_update_may_have_the_paths_id_and_unknown_keys(client: httpx.Client) -> None:
    create_plant(client, 1, "Fern")
    assert replace(client, '{"id": 1, "name": "Moss", "colour": "green"}').status_code == 200
    for other_id in ("2", '"1"', "1.5", "null"):
        message = expect_refused(replace(client, f'{{"id": {other_id}, "name": "Ivy"}}'), 40002)
        assert message.startswith("the body must be a plant: id must be")
    assert list_plants(client) == [{"id": 1, "name": "Moss"}]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("{}", "name is missing"),
        ("[]", "it is an array, not an object"),
        ('{"name": 1}', "name must be a string, not an integer"),
        ('{"name": "x", "tag": null}', "tag must be a string or left out, not null"),
        (json.dumps({"name": "x" * 1001}), "name must be 1 to 1,000 characters long, not 1,001"),
    ],
)
def test_the_body_of_an_update_keeps_the_rules_of_a_create(
    client: httpx.Client, body: str, reason: str
) -> None:
    create_plant(client, 1, "Fern")
    assert expect_refused(replace(client, body), 40002) == f"the body must be a plant: {reason}"


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', '{} , "other"', '"a",W/{},"b"', "*"])
def test_a_known_plant_is_not_sent_again(client: httpx.Client, form: str) -> None:
    create_plant(client, 1, "Fern")
    read = client.get("/plants/1")
    for method in ("GET", "HEAD"):
        known = {"If-None-Match": form.format(read.headers["etag"])}
        answer = client.request(method, "/plants/1", headers=known)
        assert (answer.status_code, answer.content) == (304, b"")
        for name in ("etag", "cache-control", "vary"):
            assert answer.headers[name] == read.headers[name]
    replace(client, '{"name": "Moss"}')
    if form != "*":
        assert client.get("/plants/1", headers=known).status_code == 200
    assert client.get("/plants/2", headers=known).status_code == 404


@pytest.mark.parametrize(
    ("form", "is_met"),
    [
        *(("{}", True), ('"other" , {}', True), ('{},"other"', True), ("*", True)),
        *((NO_SUCH_TAG, False), ("W/{}", False), ('"*"', False), ("", False), ("{}x", False)),
        (", ".join(400 * [NO_SUCH_TAG]), False),
    ],
)
def test_if_match_counts_for_each_method(client: httpx.Client, form: str, is_met: bool) -> None:  # noqa: FBT001
    create_plant(client, 1, "Fern")
    etag = client.get("/plants/1").headers["etag"]
    condition = {"If-Match": form.format(etag)}
    answers = [
        client.get("/plants/1", headers=condition),
        replace(client, '{"name": "Fern"}', **condition),
        client.delete("/plants/1", headers=condition),
    ]
    if is_met:
        assert [answer.status_code for answer in answers] == [200, 200, 204]
        return
    for answer in answers:
        message = expect_refused(answer, 41201)
        assert message.startswith("the plant 1 is not as If-Match or If-None-Match says")
    assert list_plants(client) == [{"id": 1, "name": "Fern"}]


def test_if_none_match_keeps_a_known_plant(client: httpx.Client) -> None:
    create_plant(client, 1, "Fern")
    etag = client.get("/plants/1").headers["etag"]
    for form in ("*", etag, f"W/{etag}", f'"other", {etag}'):
        condition = {"If-None-Match": form}
        expect_refused(replace(client, '{"name": "Moss"}', **condition), 41201)
        expect_refused(client.delete("/plants/1", headers=condition), 41201)
    unknown = {"If-None-Match": NO_SUCH_TAG}
    assert replace(client, '{"name": "Moss"}', **unknown).status_code == 200
    assert client.delete("/plants/1", headers=unknown).status_code == 204


def test_conditions_may_stand_in_several_headers(
    service: Service, client: httpx.Client, token: str
) -> None:
    create_plant(client, 1, "Fern")
    etag = client.get("/plants/1").headers["etag"]
    message = Message("DELETE", "/plants/1").adding("Authorization", f"Bearer {token}")
    message = message.adding("If-Match", NO_SUCH_TAG).adding("If-Match", etag)
    assert exchange(service.origin, message).status == 204


def test_of_two_changes_with_one_entity_tag_one_is_done(client: httpx.Client) -> None:
    """Nobody overwrites what they have not seen, however close the two come."""
    create_plant(client, 1, "Fern")
    for step in range(20):
        etag = client.get("/plants/1").headers["etag"]
        bodies = [f'{{"name": "Plant {step}.{number}"}}' for number in range(2)]
        with ThreadPoolExecutor(2) as threads:
            answers = list(
                threads.map(lambda body: replace(client, body, **{"If-Match": etag}), bodies)  # noqa: B023
            )
        assert sorted(answer.status_code for answer in answers) == [200, 412]
        (done,) = (answer for answer in answers if answer.status_code == 200)
        assert client.get("/plants/1").content == done.content
