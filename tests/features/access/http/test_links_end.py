"""A link ends with its creator's token, and with the access of its user: on every database."""

import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime

import httpx
import pytest

from plantstore.core.model import Grant, Role, Scope
from tests.databases import ON_BOTH
from tests.features.access.administration import Administration, open_administration
from tests.features.access.http.access_calls import make_token, managing, set_role, tokens_of
from tests.features.access.http.test_links import make_link, redeem
from tests.http.calls import expect_refused
from tests.service import Service

pytestmark = ON_BOTH

MINUTE = 60_000
End = Callable[[Administration, httpx.Client, str, str], object]

# Each takes the administration, the owner's client, the store, and the creator's token id.
ENDS_OF_CREATORS: dict[str, End] = {
    "the creator's token is revoked": lambda _, owner, __, token: owner.delete(f"/tokens/{token}"),
    "the creator's tokens are revoked": lambda admin, *_: revoke(admin, user="mallory"),
    "the creator's token is rotated": lambda admin, _, __, token: admin.rotate_token(token, 0),
    "the creator is removed": lambda _, owner, *__: owner.delete("/members/mallory"),
    "the creator is demoted": lambda _, owner, *__: set_role(owner, "mallory", "editor"),
    "a command removes the creator": lambda admin, _, store, __: admin.remove_member(
        store, "mallory"
    ),
    "a command demotes the creator": lambda admin, _, store, __: admin.add_member(
        store, "mallory", Role.READER
    ),
    "the creator is deleted": lambda admin, *_: admin.delete_user("mallory"),
}
ENDS_OF_USERS: dict[str, End] = {
    "the user's tokens are revoked": lambda admin, *_: revoke(admin, user="eve"),
    "the store's tokens are revoked": lambda admin, _, store, __: revoke(admin, store=store),
    "the user is removed": lambda _, owner, *__: owner.delete("/members/eve"),
    "the user is demoted": lambda _, owner, *__: set_role(owner, "eve", "reader"),
    "the user is deleted": lambda admin, *_: admin.delete_user("eve"),
}


def revoke(administration: Administration, **named: str) -> None:
    stores = {store.name: store.store_id for store in administration.list_stores()}
    users = {user.subject: user.user_id for user in administration.list_users()}
    administration.revoke_tokens(
        stores.get(named.get("store", "")), users.get(named.get("user", ""))
    )


@pytest.mark.parametrize("end", ENDS_OF_CREATORS.values(), ids=ENDS_OF_CREATORS)
def test_a_link_ends_with_its_creators_access(service: Service, store: str, end: End) -> None:
    with (
        managing(service, store) as owner,
        closing(open_administration(service.database)) as administration,
    ):
        for user in ("mallory", "eve"):
            set_role(owner, user, "owner")
        created = make_token(owner, "mallory", scopes=list(Scope))
        with service.client(created["token"]) as mallory:
            code = make_link(mallory, "eve", scopes=list(Scope), expires_at=None)
        end(administration, owner, store, created["id"])
    assert_link_ended(service, store, code)


@pytest.mark.parametrize("end", ENDS_OF_USERS.values(), ids=ENDS_OF_USERS)
def test_a_link_ends_with_its_users_access(service: Service, store: str, end: End) -> None:
    with (
        managing(service, store) as owner,
        closing(open_administration(service.database)) as administration,
    ):
        set_role(owner, "eve", "owner")
        code = administration.create_link(store, Grant(subject="eve", manages=True)).code
        end(administration, owner, store, "")
    assert_link_ended(service, store, code)


def assert_link_ended(service: Service, store: str, code: str) -> None:
    """Fail if the code is valid, also after its creator and its user become owners again."""
    expect_refused(redeem(service, code), 40406)
    with managing(service, store) as owner:
        for user in ("eve", "mallory"):
            set_role(owner, user, "owner")
        assert owner.get("/links").json() == []
        expect_refused(redeem(service, code), 40406)
        assert "eve" not in [token["user"] for token in tokens_of(owner)]


def test_raising_a_users_role_keeps_the_users_links(
    service: Service, manager: httpx.Client
) -> None:
    code = make_link(manager, "kiosk")
    set_role(manager, "kiosk", "editor")
    assert redeem(service, code).json()["scopes"] == ["list"]


def test_what_a_token_creates_expires_no_later_than_the_token(service: Service, store: str) -> None:
    user, expires_at = f"owner of {store}", time.time_ns() // 10**6 + 60 * MINUTE
    token = service.make_token(store, user, scopes=frozenset(Scope), expires_at=expires_at)
    expiry = datetime.fromtimestamp(expires_at // 1000, UTC)
    expiry = expiry.replace(microsecond=expires_at % 1000 * 1000)
    with service.client(token) as owner:
        for request in ({}, {"expires_at": None}, {"expires_at": "2099-12-31T00:00:00Z"}):
            created = make_token(owner, user, **request)
            redeemed = redeem(service, make_link(owner, user, **request)).json()
            assert {created["expires_at"], redeemed["expires_at"]} == {
                expiry.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            }
        code = make_link(owner, user)
        with closing(open_administration(service.database)) as administration:
            (creator,) = (
                row
                for row in administration.list_tokens(store)
                if row.expires_at == expires_at and row.label == ""
            )
            administration.rotate_token(creator.token_id, MINUTE)
        shortened = datetime.fromisoformat(redeem(service, code).json()["expires_at"])
        assert shortened.timestamp() * 1000 <= time.time_ns() / 10**6 + MINUTE
