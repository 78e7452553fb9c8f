"""Links to sign in with: a code gives one token, once and for ten minutes."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from plantstore.core.model import Scope, token_id_of
from plantstore.core.tokens import CODE_PREFIX, hash_token, make_token
from plantstore.features.access.links import MAX_LINKS
from tests.databases import ON_BOTH, execute
from tests.features.access.http.access_calls import managing, set_role, tokens_of
from tests.http.calls import expect_refused
from tests.log_lines import LoggingService
from tests.service import Service

ROUNDS = 10


def make_link(client: httpx.Client, user: str, **more: object) -> str:
    made = client.post("/links", json={"user": user, **more})
    assert made.status_code == 201, made.text
    code: str = made.json()["code"]
    return code


def exchange(service: Service, code: str) -> httpx.Response:
    """The answer to the exchange of a code, by somebody without a token."""
    with service.client(None) as client:
        return client.post("/links/redeem", json={"code": code})


def age(service: Service) -> None:
    execute(service.database, "UPDATE links SET expires_at = 1")


def test_a_code_gives_the_token_once(service: Service, manager: httpx.Client, store: str) -> None:
    code = make_link(manager, "kiosk", label="window", expires_at="2099-12-31T00:00:00Z")
    answer = exchange(service, code)
    assert (answer.status_code, answer.headers["cache-control"]) == (201, "no-store")
    given = answer.json()
    assert (given["store"], given["user"], given["label"]) == (store, "kiosk", "window")
    assert (given["scopes"], given["expires_at"]) == (["list"], "2099-12-31T00:00:00.000Z")
    assert service.status_of(given.pop("token")) == 200
    given.pop("store")
    shown = [{**token, "last_used_at": None} for token in tokens_of(manager)]
    assert {**given, "last_used_at": None} in shown
    expect_refused(exchange(service, code), 40406)


def refused_alike(service: Service, codes: list[str]) -> None:
    """Each of the codes is refused, and all of them in one way."""
    answers = {exchange(service, code).content for code in codes}
    assert len(answers) == 1
    expect_refused(exchange(service, codes[0]), 40406)


def test_a_code_that_is_not_valid_is_refused_in_one_way(
    service: Service, manager: httpx.Client
) -> None:
    used, expired, gone = (make_link(manager, "kiosk") for _ in range(3))
    assert exchange(service, used).status_code == 201
    manager.delete("/members/kiosk")
    unknown = make_token(1, CODE_PREFIX)
    token = make_token(1)
    refused_alike(service, [used, gone, unknown, token, "", "psl", "psl_1_x", "\x00", unknown[:-1]])
    set_role(manager, "kiosk", "reader")
    age(service)
    refused_alike(service, [used, expired])


@ON_BOTH
def test_links_that_wait_are_listed_and_revoked(
    service: Service, manager: httpx.Client, store: str
) -> None:
    made = [manager.post("/links", json={"user": "kiosk"}).json() for _ in range(3)]
    used, revoked, left = ({**link} for link in made)
    exchange(service, used["code"])
    for code, status in (used["code"], 404), (revoked["code"], 204), (revoked["code"], 404):
        link_id = token_id_of(hash_token(code))
        assert manager.delete(f"/stores/{store}/links/{link_id}").status_code == status
    expect_refused(manager.delete("/links/nothing"), 40407)
    expect_refused(exchange(service, revoked["code"]), 40406)
    code = left.pop("code")
    assert manager.get("/links").json() == [left]
    assert manager.get(f"/links/{left['id']}").json() == left
    expect_refused(manager.get(f"/links/{used['id']}"), 40407)
    with service.client(None) as anybody:
        for _ in range(2):  # it stays good
            described = anybody.post("/links/redeem", json={"code": code, "dry_run": True})
            assert (described.status_code, described.json()) == (200, left)
        body = {"code": revoked["code"], "dry_run": True}
        expect_refused(anybody.post("/links/redeem", json=body), 40406)
    assert (left["store"], left["user"], left["scopes"]) == (store, "kiosk", ["list"])
    given = exchange(service, code).json()
    assert (given["label"], given["expires_at"]) == (left["label"], left["expires_at"])
    assert manager.get("/links").json() == []


def test_a_code_is_no_token_and_a_token_no_code(
    service: Service, manager: httpx.Client, token: str
) -> None:
    assert service.status_of(make_link(manager, "kiosk")) == 401
    expect_refused(exchange(service, token), 40406)


def test_a_link_gives_no_more_than_its_maker_has(
    service: Service, manager: httpx.Client, store: str
) -> None:
    owner = f"owner of {store}"
    with managing(service, store, scopes=frozenset({Scope.MANAGE, Scope.LIST})) as giver:
        code = make_link(giver, owner)
        assert exchange(service, code).json()["scopes"] == ["list"]
        body = {"user": owner, "scopes": ["list", "create"]}
        expect_refused(giver.post("/links", json=body), 40301)
    expect_refused(manager.post("/links", json={"user": f"nobody of {store}"}), 40404)
    body = {"user": "kiosk", "scopes": ["manage"]}
    expect_refused(manager.post("/links", json=body), 40014)


@ON_BOTH
def test_of_two_who_use_a_code_at_once_one_gets_a_token(
    service: Service, manager: httpx.Client
) -> None:
    before = len(tokens_of(manager))
    for _ in range(ROUNDS):
        code = make_link(manager, "kiosk")
        with ThreadPoolExecutor(2) as threads:
            answers = list(threads.map(lambda used: exchange(service, used), [code] * 2))
        assert sorted(answer.status_code for answer in answers) == [201, 404]
    assert len(tokens_of(manager)) == before + ROUNDS


def test_a_store_has_only_so_many_links(service: Service, manager: httpx.Client) -> None:
    for _ in range(MAX_LINKS):
        make_link(manager, "kiosk")
    expect_refused(manager.post("/links", json={"user": "kiosk"}), 40303)
    age(service)
    make_link(manager, "kiosk")


def test_wrong_codes_do_not_keep_a_good_one_from_the_same_address_out(
    tmp_path: Path, url: str
) -> None:
    settings: dict[str, Any] = {"invalid_token_rate": "2/day"}
    with (
        LoggingService(tmp_path, database=url, settings=settings) as service,
        managing(service, "nursery", "ada") as manager,
    ):
        code = make_link(manager, "ada")
        for _ in range(10):
            expect_refused(exchange(service, make_token(1, CODE_PREFIX)), 40406)
        good = exchange(service, code)
        assert good.status_code == 201
        assert code not in service.log()
        assert good.json()["token"] not in service.log()
