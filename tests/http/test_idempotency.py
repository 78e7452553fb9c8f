"""Idempotency-Key: a retried create replays the first response, and creates nothing twice."""

import httpx

from tests.http.calls import create, expect_refused, list_plants
from tests.http.conftest import StartService
from tests.service import Service

FERN = '{"id": 1, "name": "Fern"}'
ALOE = '{"id": 2, "name": "Aloe"}'


def create_once(client: httpx.Client, body: str, key: str = "k1") -> httpx.Response:
    return create(client, body, **{"Idempotency-Key": key})


def test_a_retry_replays_the_first_response(
    client: httpx.Client, service: Service, store: str
) -> None:
    first = create_once(client, FERN)
    assert (first.status_code, first.content) == (200, b'{"name":"Fern"}')
    assert "idempotent-replayed" not in first.headers
    for _ in range(3):
        again = create_once(client, FERN)
        assert (again.status_code, again.content) == (200, first.content)
        assert again.headers["idempotent-replayed"] == "true"
        assert again.headers["cache-control"] == "no-store"
    assert len(service.events(store)) == 1


def test_a_key_reused_for_another_plant_is_refused(client: httpx.Client) -> None:
    create_once(client, FERN)
    for other in (ALOE, '{"id": 1, "name": "fern"}', '{"id": 1, "name": "Fern", "tag": "x"}'):
        expect_refused(create_once(client, other), 42201)
    for same in (FERN + " ", '{"x": [],"name":"F\\u0065rn","id":1}', FERN):
        assert create_once(client, same).headers["idempotent-replayed"] == "true"
    assert list_plants(client) == [{"id": 1, "name": "Fern"}]


def test_a_key_sent_with_an_invalid_body_stays_unused(client: httpx.Client) -> None:
    expect_refused(create_once(client, "{"), 40001)
    expect_refused(create_once(client, '{"id": 1}'), 40002)
    assert create_once(client, FERN).status_code == 200


def test_keys_are_separate_for_each_user_and_store(service: Service, store: str) -> None:
    other_store = f"{store}-too"
    ada = service.make_token(store, "ada of keys")
    eve = service.make_token(store, "eve of keys")
    elsewhere = service.make_token(other_store, "ada of keys")
    bodies = {ada: FERN, eve: ALOE, elsewhere: '{"id": 3, "name": "Ivy"}'}
    for _ in range(2):
        for token, body in bodies.items():
            with service.client(token) as client:
                assert create_once(client, body).status_code == 200


def test_keys_may_be_any_printable_ascii(client: httpx.Client) -> None:
    keys = ("x", "X", "~", "!", "a b", "x" * 255, '"quoted"', "a,b;c=d")
    for number, key in enumerate(keys):
        for _ in range(2):
            body = f'{{"id": {number}, "name": "Fern"}}'
            assert create_once(client, body, key).status_code == 200


def test_invalid_keys_are_refused(client: httpx.Client) -> None:
    for key in (b"", b"x" * 256, b"\xc3\xa9", b"\xff", b"a\tb"):
        headers = [(b"Content-Type", b"application/json"), (b"Idempotency-Key", key)]
        expect_refused(client.post("/plants", content=FERN, headers=headers), 40010)
    assert list_plants(client) == []


def test_a_key_survives_a_crash(start: StartService) -> None:
    service = start()
    token = service.make_token()
    for _ in range(2):
        with service.client(token) as client:
            assert create_once(client, FERN).status_code == 200
        service.kill()
        service.start()
    with service.client(token) as client:
        expect_refused(create_once(client, ALOE), 42201)
