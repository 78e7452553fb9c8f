"""Stores are worlds of their own: nothing tells another store's plant from one that is none."""

import json
import re
from collections.abc import Iterator

import httpx
import pytest

from plantstore.core.model import Role
from tests.http.calls import create, create_plant, expect_refused, list_plants
from tests.http.raw import Message, exchange
from tests.service import Service

ID = 4_000_000_001
FREE_ID = 4_000_000_002


@pytest.fixture
def other(service: Service, store: str) -> Iterator[httpx.Client]:
    """A client of another store, which has a plant of this id."""
    with service.client(service.make_token(f"{store}-other", f"other of {store}")) as client:
        create_plant(client, ID, "Secret", "hidden")
        yield client


def bytes_of(service: Service, message: Message, plant_id: int) -> str:
    """The whole answer but for what differs in any two: request id, date, the id asked for."""
    answer = exchange(service.origin, message)
    headers = {name: value for name, value in answer.headers.items() if name != "date"}
    headers["x-request-id"] = re.sub("[0-9a-f]+", "#", headers["x-request-id"])
    return json.dumps([answer.status, headers, answer.body.decode()]).replace(str(plant_id), "ID")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_nobody_can_tell_anothers_plant_from_none(
    service: Service, other: httpx.Client, token: str, store: str, method: str
) -> None:
    for base in ("", f"/stores/{store}"):
        answers = set()
        for plant_id in (ID, FREE_ID):
            message = Message(method, f"{base}/plants/{plant_id}").adding("If-Match", "*")
            authorised = message.adding("Authorization", f"Bearer {token}")
            answers.add(bytes_of(service, authorised.carrying(b'{"name":"Fern"}'), plant_id))
        assert len(answers) == 1
    assert list_plants(other) == [{"id": ID, "name": "Secret", "tag": "hidden"}]


def test_a_create_never_fresh_anothers_plant_from_none(
    service: Service, other: httpx.Client, token: str
) -> None:
    answers = set()
    for plant_id in (ID, FREE_ID):
        message = Message("POST", "/plants").adding("Authorization", f"Bearer {token}")
        body = b'{"id": %d, "name": "Secret", "tag": "hidden"}' % plant_id
        answers.add(bytes_of(service, message.carrying(body), plant_id))
    assert len(answers) == 1
    assert len(list_plants(other)) == 1


def test_a_list_shows_nothing_of_another_store(client: httpx.Client, other: httpx.Client) -> None:
    targets = [f"/plants{query}" for query in ("", "?limit=1", "?tag=hidden", "?include=id")]
    etags = [client.get(target).headers["etag"] for target in targets]
    create_plant(other, FREE_ID, "Another", "hidden")
    for target, etag in zip(targets, etags, strict=True):
        listed = client.get(target)
        assert listed.content == b"[]"
        assert listed.headers["etag"] == etag


def test_the_same_id_lives_in_two_stores(client: httpx.Client, other: httpx.Client) -> None:
    create_plant(client, ID, "Mine")
    assert other.delete(f"/plants/{ID}").status_code == 204
    assert list_plants(client) == [{"id": ID, "name": "Mine"}]
    assert list_plants(other) == []


@pytest.mark.parametrize(
    ("method", "path"),
    [
        *(("GET", "plants"), ("POST", "plants")),
        *((method, f"plants/{ID}") for method in ("GET", "PUT", "DELETE")),
    ],
)
@pytest.mark.parametrize("all_stores", [True, False])
def test_a_store_of_others_looks_like_none(
    service: Service, other: httpx.Client, store: str, method: str, path: str, *, all_stores: bool
) -> None:
    token = service.make_token(store, f"owner of {store}", all_stores=all_stores)
    answers = set()
    for name in (f"{store}-other", f"{store}-nothere"):
        message = Message(method, f"/stores/{name}/{path}")
        authorised = message.adding("Authorization", f"Bearer {token}")
        answers.add(bytes_of(service, authorised.carrying(b'{"id":1,"name":"Fern"}'), ID))
    assert len(answers) == 1
    assert '"error\\":40403' in answers.pop()
    assert list_plants(other) == [{"id": ID, "name": "Secret", "tag": "hidden"}]


def test_what_names_no_store_is_none(client: httpx.Client) -> None:
    for name in ("A", "%20", "x" * 64, "%2e%2e", "a%2Fb", "a%00", "%ff"):
        expect_refused(client.get(f"/stores/{name}/plants"), 40403)
    expect_refused(client.get("/stores//plants"), 40402)


def test_the_own_store_may_be_named(client: httpx.Client, store: str) -> None:
    create_plant(client, 1, "Fern")
    named = client.get(f"/stores/{store}/plants")
    assert named.content == client.get("/plants").content
    assert client.delete(f"/stores/{store}/plants/1").status_code == 204
    assert list_plants(client) == []


def test_a_token_for_all_stores_opens_each_of_its_users(service: Service, store: str) -> None:
    user, second = f"owner of {store}", f"{store}-second"
    service.make_token(store, user)
    only_second = service.make_token(second, user)
    everywhere = service.make_token(store, user, all_stores=True)
    with service.client(everywhere) as client:
        create_plant(client, 1, "In the first")
        named = client.post(f"/stores/{second}/plants", json={"id": 1, "name": "In the second"})
        assert named.status_code == 200
        assert client.get(f"/stores/{second}/plants").json() == [{"name": "In the second"}]
        assert client.get("/plants").json() == [{"name": "In the first"}]
    with service.client(only_second) as client:
        assert client.get("/plants").json() == [{"name": "In the second"}]
        expect_refused(client.get(f"/stores/{store}/plants"), 40403)


def test_a_role_in_each_store_bounds_a_token_for_all(service: Service, store: str) -> None:
    user, readable = f"owner of {store}", f"{store}-readable"
    token = service.make_token(store, user, all_stores=True)
    service.make_token(readable, f"owner of {readable}")
    service.make_token(readable, user, role=Role.READER)
    with service.client(token) as client:
        assert client.get(f"/stores/{readable}/plants").status_code == 200
        for refused in (
            client.post(f"/stores/{readable}/plants", json={"id": 1, "name": "Fern"}),
            client.delete(f"/stores/{readable}/plants/1"),
        ):
            expect_refused(refused, 40301)
        assert create(client, '{"id": 1, "name": "Fern"}').status_code == 200


def test_a_deleted_store_takes_its_tokens_and_plants_along(service: Service, store: str) -> None:
    user, second = f"owner of {store}", f"{store}-second"
    everywhere = service.make_token(second, user, all_stores=True)
    token = service.make_token(store, user)
    with service.client(token) as own, service.client(everywhere) as all_stores:
        create_plant(own, 1, "Fern")
        assert all_stores.get(f"/stores/{store}/plants").status_code == 200
        with service.administration() as administration:
            administration.delete_store(store)
        expect_refused(own.get("/plants"), 40102)
        expect_refused(all_stores.get(f"/stores/{store}/plants"), 40403)
        assert all_stores.get("/plants").status_code == 200
        with service.client(service.make_token(store, user)) as again:
            assert list_plants(again) == []
            expect_refused(own.get("/plants"), 40102)
