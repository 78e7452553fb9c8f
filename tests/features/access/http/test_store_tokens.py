"""A store's tokens over HTTP: how owners create, see and revoke them."""

import json
from datetime import UTC, datetime, timedelta
from itertools import combinations

import httpx
import pytest

from plantstore.core.model import Role, Scope, token_id_of
from plantstore.core.tokens import hash_token
from tests.databases import ON_BOTH
from tests.features.access.http.access_calls import (
    make_token,
    managing,
    set_role,
    tokens_of,
)
from tests.http.calls import expect_refused
from tests.service import JSON, Service

PLANTS = ["list", "create", "update", "delete"]
OTHERS = [scope for scope in Scope if scope is not Scope.MANAGE]
MANAGERS = [
    frozenset({Scope.MANAGE, *others})
    for size in range(len(OTHERS) + 1)
    for others in combinations(OTHERS, size)
]


@ON_BOTH
def test_a_token_is_valid_until_it_is_revoked(
    service: Service, manager: httpx.Client, store: str
) -> None:
    label = 'the "window" \\'
    created = make_token(manager, "kiosk", label=label, expires_at="2099-12-31T23:00:00+01:00")
    secret = created.pop("token")
    assert created["id"] == token_id_of(hash_token(secret))
    assert created["expires_at"] == "2099-12-31T22:00:00.000Z"
    assert (created["user"], created["label"], created["scopes"]) == ("kiosk", label, ["list"])
    assert service.status_of(secret) == 200
    assert created in tokens_of(manager)
    assert secret not in manager.get("/tokens").text
    path = f"/stores/{store}/tokens/{created['id']}"
    assert manager.get(path).json().items() >= created.items()
    expect_refused(manager.get(f"/tokens/{secret}"), 40405)
    for _ in range(2):
        assert manager.delete(path).status_code == 204
        assert service.status_of(secret) == 401
        expect_refused(manager.get(path), 40405)
    assert created["id"] not in [token["id"] for token in tokens_of(manager)]


def test_omitted_fields_have_the_defaults_of_the_command_line(
    manager: httpx.Client, store: str
) -> None:
    token = make_token(manager, f"owner of {store}")
    assert token["scopes"] == PLANTS  # without manage, which must be requested
    assert token["label"] == f"owner of {store} {datetime.now(UTC):%Y-%m-%d}"
    created, expires = (datetime.fromisoformat(token[key]) for key in ("created_at", "expires_at"))
    assert timedelta(days=364) < expires - created < timedelta(days=366)
    assert "expires_at" not in make_token(manager, "kiosk", expires_at=None)


@pytest.mark.parametrize("role", Role)
def test_a_token_has_no_scope_that_its_users_role_lacks(manager: httpx.Client, role: Role) -> None:
    set_role(manager, "eve", role)
    for scope in Scope:
        response = manager.post("/tokens", json={"user": "eve", "scopes": [scope]})
        if scope in role.scopes:
            assert response.json()["scopes"] == [scope]
        else:
            assert f"the role {role} does not allow: {scope}" in expect_refused(response, 40014)


def test_a_token_grants_no_scope_that_it_lacks(
    service: Service, manager: httpx.Client, store: str
) -> None:
    owner = f"owner of {store}"
    for scopes in MANAGERS:
        with managing(service, store, scopes=scopes) as creator:
            for scope in Scope:
                response = creator.post("/tokens", json={"user": owner, "scopes": [scope]})
                if scope in scopes:
                    assert response.json()["scopes"] == [scope]
                else:
                    expect_refused(response, 40301)
                    assert f'scope="{scope}"' in response.headers["www-authenticate"]
            response = creator.post("/tokens", json={"user": owner})
            if scopes == {Scope.MANAGE}:
                expect_refused(response, 40301)
            else:
                assert set(response.json()["scopes"]) == scopes - {Scope.MANAGE}
    assert manager.get("/plants").status_code == 200


SCOPES = "scopes must be an array of at least one of list, create, update, delete, manage"
TIME = "expires_at must be a time with its zone, such as 2030-01-31T08:00:00Z, null, or omitted"
BAD_TOKENS = [
    ({}, "user is missing"),
    ({"user": 7}, "user must be a string"),
    ({"user": ""}, "the user's name must be 1 to 255 characters long"),
    ({"user": "\ud800"}, "the user's name must not contain"),
    ({"scopes": []}, SCOPES),
    ({"scopes": ["read"]}, SCOPES),
    ({"scopes": "list"}, SCOPES),
    ({"label": None}, "label must be a string, or omitted"),
    ({"label": "x" * 65}, "the label must be 1 to 64 characters long"),
    ({"label": "a\nb"}, "the label must not contain"),
    ({"expires_at": "2020-01-31T08:00:00Z"}, "expires_at must be later than now"),
    ({"expires_at": "2099-01-31"}, TIME),
    ({"expires_at": "2099-01-31T08:00:00"}, TIME),
    ({"expires_at": "9999-12-31T23:59:59-12:00"}, "the expiry must be before the year 10000"),
    ({"expires_at": 4_102_444_800}, TIME),
    ({"expires_at": "\ud800"}, TIME),
]


@pytest.mark.parametrize(("body", "rule"), BAD_TOKENS, ids=str)
def test_invalid_fields_are_refused_with_their_rule(
    manager: httpx.Client, body: dict[str, object], rule: str
) -> None:
    before = tokens_of(manager)
    content = json.dumps({"user": "kiosk"} | body if body else body)
    refused = manager.post("/tokens", content=content, headers=JSON)
    assert rule in expect_refused(refused, 40014)
    assert tokens_of(manager) == before


def test_tokens_are_created_for_members_only(
    service: Service, manager: httpx.Client, store: str
) -> None:
    service.make_token(f"{store}-other", "stranger")
    for user in ("stranger", f"nobody of {store}"):
        expect_refused(manager.post("/tokens", json={"user": user}), 40404)


@pytest.mark.parametrize("token_id", ["0123456789abcdef", "nothing", "0123456789ABCDEF", "%"])
def test_revoking_an_unknown_token_is_refused(manager: httpx.Client, token_id: str) -> None:
    expect_refused(manager.delete(f"/tokens/{token_id}"), 40405)
