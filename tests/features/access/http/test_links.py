"""Sign-in links: a code is redeemed for a token, once and within ten minutes."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from select import select
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from plantstore.core.model import Scope, token_id_of
from plantstore.core.tokens import CODE_PREFIX, hash_token, make_token
from plantstore.features.access.links import MAX_LINKS
from plantstore.http.administration import MAX_JOBS
from tests.databases import ON_BOTH, execute
from tests.features.access.http.access_calls import managing, set_role, tokens_of
from tests.http.blocking import blocked_writes
from tests.http.calls import expect_refused
from tests.http.raw import Message
from tests.log_lines import LoggingService
from tests.service import Service

ROUNDS = 10


def make_link(client: httpx.Client, user: str, **more: object) -> str:
    response = client.post("/links", json={"user": user, **more})
    assert response.status_code == 201, response.text
    code: str = response.json()["code"]
    return code


def redeem(service: Service, code: str) -> httpx.Response:
    """Redeem a code, without a token; return the response."""
    with service.client(None) as client:
        return client.post("/links/redeem", json={"code": code})


def expire_links(service: Service) -> None:
    execute(service.database, "UPDATE links SET expires_at = 1")


def test_a_code_is_redeemed_once(service: Service, manager: httpx.Client, store: str) -> None:
    code = make_link(manager, "kiosk", label="window", expires_at="2099-12-31T00:00:00Z")
    response = redeem(service, code)
    assert (response.status_code, response.headers["cache-control"]) == (201, "no-store")
    token = response.json()
    assert (token["store"], token["user"], token["label"]) == (store, "kiosk", "window")
    assert (token["scopes"], token["expires_at"]) == (["list"], "2099-12-31T00:00:00.000Z")
    assert service.status_of(token.pop("token")) == 200
    token.pop("store")
    tokens = [{**listed, "last_used_at": None} for listed in tokens_of(manager)]
    assert {**token, "last_used_at": None} in tokens
    expect_refused(redeem(service, code), 40406)


def assert_refused_alike(service: Service, codes: list[str]) -> None:
    """Fail unless all codes are refused with the same response."""
    bodies = {redeem(service, code).content for code in codes}
    assert len(bodies) == 1
    expect_refused(redeem(service, codes[0]), 40406)


def test_all_invalid_codes_get_the_same_response(service: Service, manager: httpx.Client) -> None:
    used, ended = (make_link(manager, "kiosk") for _ in range(2))
    assert redeem(service, used).status_code == 201
    manager.delete("/members/kiosk")
    unknown = make_token(1, CODE_PREFIX)
    token = make_token(1)
    assert_refused_alike(
        service, [used, ended, unknown, token, "", "psl", "psl_1_x", "\x00", unknown[:-1]]
    )
    set_role(manager, "kiosk", "reader")
    expired = make_link(manager, "kiosk")
    expire_links(service)
    assert_refused_alike(service, [used, expired])


@ON_BOTH
def test_unused_links_are_listed_and_revoked(
    service: Service, manager: httpx.Client, store: str
) -> None:
    created = [manager.post("/links", json={"user": "kiosk"}).json() for _ in range(3)]
    used, revoked, unused = ({**link} for link in created)
    redeem(service, used["code"])
    for code, status in (used["code"], 404), (revoked["code"], 204), (revoked["code"], 404):
        link_id = token_id_of(hash_token(code))
        assert manager.delete(f"/stores/{store}/links/{link_id}").status_code == status
    expect_refused(manager.delete("/links/nothing"), 40407)
    expect_refused(redeem(service, revoked["code"]), 40406)
    code = unused.pop("code")
    assert manager.get("/links").json() == [unused]
    assert manager.get(f"/links/{unused['id']}").json() == unused
    expect_refused(manager.get(f"/links/{used['id']}"), 40407)
    with service.client(None) as anonymous:
        for _ in range(2):  # a dry run does not use the code
            described = anonymous.post("/links/redeem", json={"code": code, "dry_run": True})
            assert (described.status_code, described.json()) == (200, unused)
        body = {"code": revoked["code"], "dry_run": True}
        expect_refused(anonymous.post("/links/redeem", json=body), 40406)
    assert (unused["store"], unused["user"], unused["scopes"]) == (store, "kiosk", ["list"])
    token = redeem(service, code).json()
    assert (token["label"], token["expires_at"]) == (unused["label"], unused["expires_at"])
    assert manager.get("/links").json() == []


def test_codes_and_tokens_are_not_interchangeable(
    service: Service, manager: httpx.Client, token: str
) -> None:
    assert service.status_of(make_link(manager, "kiosk")) == 401
    expect_refused(redeem(service, token), 40406)


def test_a_link_grants_no_more_than_its_creator_has(
    service: Service, manager: httpx.Client, store: str
) -> None:
    owner = f"owner of {store}"
    with managing(service, store, scopes=frozenset({Scope.MANAGE, Scope.LIST})) as creator:
        code = make_link(creator, owner)
        assert redeem(service, code).json()["scopes"] == ["list"]
        body = {"user": owner, "scopes": ["list", "create"]}
        expect_refused(creator.post("/links", json=body), 40301)
    expect_refused(manager.post("/links", json={"user": f"nobody of {store}"}), 40404)
    body = {"user": "kiosk", "scopes": ["manage"]}
    expect_refused(manager.post("/links", json=body), 40014)


@ON_BOTH
def test_a_code_redeemed_twice_at_once_gives_one_token(
    service: Service, manager: httpx.Client
) -> None:
    before = len(tokens_of(manager))
    for _ in range(ROUNDS):
        code = make_link(manager, "kiosk")
        with ThreadPoolExecutor(2) as threads:
            responses = list(threads.map(lambda code: redeem(service, code), [code] * 2))
        assert sorted(response.status_code for response in responses) == [201, 404]
    assert len(tokens_of(manager)) == before + ROUNDS


def test_the_number_of_unused_links_is_limited(service: Service, manager: httpx.Client) -> None:
    for _ in range(MAX_LINKS):
        make_link(manager, "kiosk")
    expect_refused(manager.post("/links", json={"user": "kiosk"}), 40303)
    expire_links(service)
    make_link(manager, "kiosk")


def test_wrong_codes_do_not_block_a_valid_code_of_the_same_address(
    tmp_path: Path, url: str
) -> None:
    settings: dict[str, Any] = {"invalid_token_rate": "2/day"}
    with (
        LoggingService(tmp_path, database=url, settings=settings) as service,
        managing(service, "nursery", "ada") as manager,
    ):
        code = make_link(manager, "ada")
        for _ in range(10):
            expect_refused(redeem(service, make_token(1, CODE_PREFIX)), 40406)
        response = redeem(service, code)
        assert response.status_code == 201
        assert code not in service.log()
        assert response.json()["token"] not in service.log()


@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_codes_that_name_many_stores_leave_reads_for_other_stores(
    service: Service, manager: httpx.Client
) -> None:
    address = urlsplit(service.origin)
    with ExitStack() as stack:
        locked = stack.enter_context(psycopg.connect(service.database))
        locked.execute("LOCK TABLE links")
        clients = []
        for store_id in range(1, 9):
            body = f'{{"code":"{make_token(store_id, CODE_PREFIX)}"}}'.encode()
            client = socket.create_connection((address.hostname, address.port))
            check = Message("POST", "/links/redeem").with_body(body)
            clients.append(stack.enter_context(client))
            client.sendall(check.to_bytes())
        time.sleep(0.5)
        assert manager.get("/me").status_code == 200
        assert select(clients, [], [], 0)[0] == []  # no read of a code has timed out
        locked.commit()


def test_a_code_redeemed_from_many_networks_takes_one_store_s_share(
    service: Service, manager: httpx.Client
) -> None:
    code, address = make_link(manager, "kiosk"), urlsplit(service.origin)
    body = f'{{"code":"{code}","dry_run":true}}'.encode()
    check = Message("POST", "/links/redeem").with_body(body)
    with ExitStack() as stack, managing(service, "beside-links") as other:
        assert set_role(other, "nobody", "reader").is_success
        waiting = stack.enter_context(ThreadPoolExecutor())
        with blocked_writes(service):
            first = waiting.submit(redeem, service, code)
            time.sleep(0.3)  # the others wait until it is redeemed
            for number in range(1, MAX_JOBS + 9):
                client = socket.create_connection(
                    (address.hostname, address.port), source_address=(f"127.0.1.{number}", 0)
                )
                stack.enter_context(client).sendall(check.to_bytes())
            time.sleep(0.7)
            changed = waiting.submit(set_role, other, "nobody", "editor")
            time.sleep(0.5)
        assert changed.result().status_code == 200
        assert first.result().status_code == 201
