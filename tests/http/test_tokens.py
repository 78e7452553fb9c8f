"""Tokens are valid exactly while the database says so."""

import time
from contextlib import closing

import psycopg
import pytest

from plantstore.core.clock import now
from tests.databases import ON_BOTH
from tests.http.calls import expect_refused
from tests.http.raw import Connection, Message, exchange
from tests.service import Service
from tests.waiting import wait_until

INVALID = "the token is not valid: ask the owner of the store for a new one"


def listing(token: str, base: str = "") -> Message:
    return Message("GET", f"{base}/plants").with_token(token)


@ON_BOTH
def test_a_revoked_token_is_refused_immediately(service: Service, store: str) -> None:
    tokens = [service.make_token(store) for _ in range(20)]
    with (
        service.administration() as administration,
        Connection(service.origin) as connection,
    ):
        for number, token in enumerate(tokens):
            message = listing(token, f"/stores/{store}" if number % 2 else "")
            for _ in range(3):  # read, cached by query, cached by bytes
                assert connection.request(message).status == 200
            administration.revoke_token(token)
            refused = connection.request(message)
            assert (refused.number, refused.json["message"]) == (40102, INVALID)


def test_a_token_revoked_before_the_body_arrives_is_refused(service: Service, store: str) -> None:
    token = service.make_token(store)
    fern = b'{"id": 1, "name": "Fern"}'
    create = Message("POST", "/plants").with_token(token).with_body(fern)
    with Connection(service.origin) as connection:
        connection.send(create.with_header("Expect", "100-continue").head())
        assert connection.receive().status == 100
        service.revoke(token)
        assert not connection.has_data(0.1)
        connection.send(fern)
        assert connection.receive().number == 40102
    assert service.events(store) == []


@ON_BOTH
def test_a_token_expires_on_time(service: Service, store: str) -> None:
    expires_at = time.time_ns() // 10**6 + 1000
    token = service.make_token(store, expires_at=expires_at)
    with service.client(token) as client:
        assert client.get("/plants").status_code == 200
        while client.get("/plants").status_code == 200:
            assert time.time() < expires_at / 1000 + 1
        assert time.time() >= expires_at / 1000
        assert expect_refused(client.get("/plants"), 40102) == INVALID


@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_a_token_that_expires_during_its_look_up_is_refused(service: Service, store: str) -> None:
    expires_at = now() + 2000
    message = listing(service.make_token(store, expires_at=expires_at))
    with Connection(service.origin) as connection, closing(psycopg.connect(service.database)) as it:
        for _ in range(3):  # read, cached by query, cached by bytes
            assert connection.request(message).status == 200
        it.execute("LOCK TABLE tokens")
        connection.send(message)
        wait_until(lambda: now() > expires_at)
        it.rollback()
        assert connection.receive().number == 40102


def test_a_request_without_a_bearer_token_gets_40101(service: Service, token: str) -> None:
    no_bearers = ("", "Bearer", "Basic YWRhOnNlY3JldA==", f"Token {token}", token)
    in_url = Message("GET", f"/plants?access_token={token}")
    for value in (*no_bearers, f"Bearer{token}", f"Bearer\t{token}", f"BearerX {token}"):
        message = in_url.with_header("Authorization", value)
        assert exchange(service.origin, message).number == 40101
    for scheme in ("Bearer", "bearer", "BEARER", "Bearer  "):
        message = in_url.with_header("Authorization", f"{scheme} {token}")
        assert exchange(service.origin, message).status == 200


def test_malformed_tokens_get_40102(service: Service, token: str) -> None:
    _, number, secret = token.split("_")
    around = (f"{token}x", f"x{token}", f"{token} {token}", f"{token},", f'"{token}"', token[:-1])
    other_case = (token.swapcase().replace("PST", "pst"), token.replace("pst", "PST"))
    numbers = ("", "0", "zzzzzzzzzz", "zzzzzzzzzzz", "é", "-1", f"{number}_{number}")
    parts = ("pst_", "pst_1", "pst_1_", f"psk_{number}_{secret}", "_", "x", "é", "a" * 4000)
    others = (*around, *other_case, *(f"pst_{other}_{secret}" for other in numbers), *parts)
    with service.client(None) as client:
        for other in others:
            headers = {b"Authorization": f"Bearer {other}".encode()}
            assert expect_refused(client.get("/plants", headers=headers), 40102) == INVALID


def test_a_token_with_another_stores_id_is_refused_by_both_stores(
    service: Service, store: str
) -> None:
    token, other = service.make_token(store), service.make_token(f"{store}-other")
    number, other_number = token.split("_")[1], other.split("_")[1]
    assert number != other_number
    crossed = f"pst_{other_number}_{token.split('_')[2]}"
    with service.client(crossed) as client:
        assert expect_refused(client.get("/plants"), 40102) == INVALID
        assert expect_refused(client.get(f"/stores/{store}/plants"), 40102) == INVALID
