"""Who may manage a store: each operation with each role, in the store and in others."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from plantstore.core.model import Role
from tests.features.access.http.access_calls import (
    ALL,
    make_token,
    managing,
    members_of,
    set_role,
    tokens_of,
)
from tests.http.calls import expect_refused
from tests.service import Service

Operation = Callable[[httpx.Client, str, str], httpx.Response]

# Each takes a client, the base path, and the id of a token of the member ``kiosk``.
OPERATIONS: dict[str, Operation] = {
    "list members": lambda client, base, _: client.get(f"{base}/members"),
    "read member": lambda client, base, _: client.get(f"{base}/members/kiosk"),
    "add member": lambda client, base, _: set_role(client, "new", "reader", base),
    "change member": lambda client, base, _: set_role(client, "kiosk", "editor", base),
    "list tokens": lambda client, base, _: client.get(f"{base}/tokens"),
    "read token": lambda client, base, token: client.get(f"{base}/tokens/{token}"),
    "create token": lambda client, base, _: client.post(f"{base}/tokens", json={"user": "kiosk"}),
    "list links": lambda client, base, _: client.get(f"{base}/links"),
    "create link": lambda client, base, _: client.post(f"{base}/links", json={"user": "kiosk"}),
    "revoke token": lambda client, base, token: client.delete(f"{base}/tokens/{token}"),
    "remove member": lambda client, base, _: client.delete(f"{base}/members/kiosk"),
}


def state_of(client: httpx.Client) -> tuple[Any, Any]:
    tokens = [{**token, "last_used_at": None} for token in tokens_of(client)]
    return members_of(client), tokens


@pytest.mark.parametrize("role", Role)
def test_only_owners_may_manage_a_store(service: Service, store: str, role: Role) -> None:
    """``tests/http`` shows that every route requires the scope."""
    with managing(service, store) as manager:
        set_role(manager, "kiosk", "reader")
        kiosk_token = make_token(manager, "kiosk")["id"]
        # A token is created with scopes that the role allows, but the role can change later.
        token = service.make_token(store, "eve", role=Role.OWNER, scopes=ALL)
        service.set_role(store, "eve", role)
        before = state_of(manager)
        with service.client(token) as eve:
            for operate in OPERATIONS.values():
                response = operate(eve, f"/stores/{store}", kiosk_token)
                if role is Role.OWNER:
                    assert response.is_success, response.text
                else:
                    assert "with the scope manage" in expect_refused(response, 40301)
                    assert state_of(manager) == before


@pytest.mark.parametrize("all_stores", [True, False])
def test_another_users_store_looks_like_a_missing_store(
    service: Service, store: str, *, all_stores: bool
) -> None:
    other = f"{store}-other"
    with managing(service, other) as other_owner:
        set_role(other_owner, "kiosk", "reader")
        kiosk_token = make_token(other_owner, "kiosk")["id"]
        before = state_of(other_owner)
        user = f"eve of {store}"  # this store is the user's first
        token = service.make_token(store, user, scopes=ALL, all_stores=all_stores)
        with service.client(token) as eve:
            set_role(eve, "kiosk", "reader")
            for base in (f"/stores/{other}", f"/stores/{store}-none"):
                for operate in OPERATIONS.values():
                    expect_refused(operate(eve, base, kiosk_token), 40403)
            for method in ("GET", "DELETE"):
                expect_refused(eve.request(method, f"/tokens/{kiosk_token}"), 40405)
            assert eve.delete("/members/kiosk").status_code == 204
        assert state_of(other_owner) == before


def test_owners_cannot_see_or_revoke_a_members_all_stores_token(
    service: Service, store: str
) -> None:
    second, user = f"{store}-second", f"eve of {store}"
    with managing(service, store) as manager:
        token = service.make_token(store, user, all_stores=True)
        service.make_token(second, user)
        users = [listed["user"] for listed in tokens_of(manager)]
        assert users == [f"owner of {store}"]
        with service.administration() as administration:
            (hidden,) = (row for row in administration.list_tokens(store, user) if row.all_stores)
        expect_refused(manager.delete(f"/tokens/{hidden.token_id}"), 40405)
        manager.delete(f"/members/{user}")
    with service.client(token) as eve:
        expect_refused(eve.get("/plants"), 40403)
        assert eve.get(f"/stores/{second}/plants").status_code == 200


def test_an_all_stores_token_manages_the_stores_its_user_owns(service: Service, store: str) -> None:
    second, user = f"{store}-second", f"eve of {store}"
    service.make_token(second, "adam")
    token = service.make_token(store, user, scopes=ALL, all_stores=True)
    service.make_token(second, user, role=Role.READER)
    with service.client(token) as eve:
        expect_refused(eve.get(f"/stores/{second}/members"), 40301)
        service.set_role(second, user, Role.OWNER)
        created = eve.post(f"/stores/{second}/tokens", json={"user": "adam"}).json()
        assert tokens_of(eve) == []
    with service.client(created["token"]) as adam:
        assert adam.get("/me").json()["store"] == second
