"""Stores are isolated: another store's plant looks like a plant that does not exist."""

import json
import re
from collections.abc import Iterator

import httpx
import pytest

from tests.http.calls import create_plant, expect_refused, list_plants
from tests.http.raw import Message, exchange
from tests.service import Service

ID = 4_000_000_001
FREE_ID = 4_000_000_002


@pytest.fixture
def other(service: Service, store: str) -> Iterator[httpx.Client]:
    """A client of another store, which has the plant ``ID``."""
    with service.client(service.make_token(f"{store}-other", f"other of {store}")) as client:
        create_plant(client, ID, "Secret", "hidden")
        yield client


def comparable_response(service: Service, message: Message, plant_id: int) -> str:
    """The response without what always differs, such as the date and the store's revision."""
    response = exchange(service.origin, message)
    own = ("date", "etag", "store-revision")
    headers = {name: value for name, value in response.headers.items() if name not in own}
    headers["x-request-id"] = re.sub("[0-9a-f]+", "#", headers["x-request-id"])
    return json.dumps([response.status, headers, response.body.decode()]).replace(
        str(plant_id), "ID"
    )


@pytest.mark.parametrize("method", ["POST", "GET", "PUT", "DELETE"])
def test_another_stores_plant_looks_like_a_missing_plant(
    service: Service, other: httpx.Client, token: str, store: str, method: str
) -> None:
    for base in ("", f"/stores/{store}"):
        responses = set()
        for plant_id in (ID, FREE_ID):
            message = Message(method, f"{base}/plants").with_token(token)
            if method != "POST":
                message = message.with_target(f"{base}/plants/{plant_id}").with_header(
                    "If-Match", "*"
                )
            body = b'{"id": %d, "name": "Secret", "tag": "hidden"}' % plant_id
            responses.add(comparable_response(service, message.with_body(body), plant_id))
        assert len(responses) == 1
    assert list_plants(other) == [{"id": ID, "name": "Secret", "tag": "hidden"}]


def test_a_list_is_unaffected_by_another_stores_plants(
    client: httpx.Client, other: httpx.Client
) -> None:
    targets = [f"/plants{query}" for query in ("", "?limit=1", "?tag=hidden", "?include=id")]
    etags = [client.get(target).headers["etag"] for target in targets]
    create_plant(other, FREE_ID, "Another", "hidden")
    for target, etag in zip(targets, etags, strict=True):
        listed = client.get(target)
        assert listed.content == b"[]"
        assert listed.headers["etag"] == etag


@pytest.mark.parametrize(
    ("method", "path"),
    [
        *(("GET", "plants"), ("POST", "plants")),
        *((method, f"plants/{ID}") for method in ("GET", "PUT", "DELETE")),
    ],
)
@pytest.mark.parametrize("all_stores", [True, False])
def test_another_users_store_looks_like_a_missing_store(
    service: Service, other: httpx.Client, store: str, method: str, path: str, *, all_stores: bool
) -> None:
    token = service.make_token(store, f"owner of {store}", all_stores=all_stores)
    responses = set()
    for name in (f"{store}-other", f"{store}-nothere"):
        message = Message(method, f"/stores/{name}/{path}").with_token(token)
        responses.add(
            comparable_response(service, message.with_body(b'{"id":1,"name":"Fern"}'), ID)
        )
    assert len(responses) == 1
    assert '"error\\":40403' in responses.pop()
    assert list_plants(other) == [{"id": ID, "name": "Secret", "tag": "hidden"}]


def test_invalid_store_names_in_a_path_are_not_found(client: httpx.Client) -> None:
    for name in ("A", "%20", "x" * 64, "%2e%2e", "a%2Fb", "a%00", "%ff"):
        expect_refused(client.get(f"/stores/{name}/plants"), 40403)
    expect_refused(client.get("/stores//plants"), 40402)


def test_a_token_for_all_stores_works_in_each_of_its_users_stores(
    service: Service, store: str
) -> None:
    user, second = f"owner of {store}", f"{store}-second"
    service.make_token(store, user)
    only_second = service.make_token(second, user)
    everywhere = service.make_token(store, user, all_stores=True)
    with service.client(everywhere) as client:
        create_plant(client, 1, "In the first")
        created = client.post(f"/stores/{second}/plants", json={"id": 1, "name": "In the second"})
        assert created.status_code == 200
        assert client.get(f"/stores/{second}/plants").json() == [{"name": "In the second"}]
        assert client.get("/plants").json() == [{"name": "In the first"}]
    with service.client(only_second) as client:
        assert client.get("/plants").json() == [{"name": "In the second"}]
        expect_refused(client.get(f"/stores/{store}/plants"), 40403)
