"""``GET /me``: the token's user, stores and permissions."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest

from plantstore.core.model import Role
from plantstore.sql.administration.new_tokens import EXPIRY_MAX
from tests.http.calls import expect_refused
from tests.service import Service

ALL = ["list", "create", "update", "delete"]


def get_me(service: Service, token: str) -> httpx.Response:
    with service.client(token) as client:
        return client.get("/me")


def test_me_returns_the_user_and_the_tokens_store(service: Service, store: str, token: str) -> None:
    service.make_token(f"{store}-second", f"owner-of-{store}")
    response = get_me(service, token)
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "no-store"
    me = response.json()
    since = datetime.fromisoformat(me["stores"][0].pop("since"))
    assert abs(datetime.now(UTC) - since) < timedelta(minutes=10)
    assert me == {
        "user": f"owner-of-{store}",
        "label": "",
        "store": store,
        "role": "owner",
        "scopes": ALL,
        "stores": [{"name": store, "role": "owner", "scopes": ALL}],
    }


@pytest.mark.parametrize(
    ("expires_at", "expected"),
    [(4102444800123, "2100-01-01T00:00:00.123Z"), (EXPIRY_MAX, "9999-12-31T23:59:59.999Z")],
)
def test_me_returns_the_expiry_in_utc(
    service: Service, store: str, expires_at: int, expected: str
) -> None:
    token = service.make_token(store, expires_at=expires_at)
    assert get_me(service, token).json()["expires_at"] == expected


def test_me_lists_all_stores_with_their_roles_for_an_all_stores_token(
    service: Service, store: str
) -> None:
    user, readable = f"owner of {store}", f"{store}-readable"
    token = service.make_token(store, user, all_stores=True)
    service.make_token(f"{store}-other", f"other of {store}")
    service.make_token(readable, f"owner of {readable}")
    service.make_token(readable, user, role=Role.READER)
    for name in (f"{store}-z", f"{store}a", f"{store}-a"):
        service.make_token(name, user)
    stores = get_me(service, token).json()["stores"]
    assert (stores[0]["name"], stores[0]["role"], stores[0]["scopes"]) == (store, "owner", ALL)
    assert [it["scopes"] for it in stores if it["name"] == readable] == [["list"]]
    with service.client(token) as client:
        assert [client.get(f"/stores/{it['name']}").json() for it in stores] == stores
        expect_refused(client.get(f"/stores/{store}-other"), 40403)
    names = [it["name"] for it in stores]
    assert names == sorted([store, readable, f"{store}-z", f"{store}a", f"{store}-a"])


def test_me_lists_the_other_stores_after_the_user_leaves_the_first(
    service: Service, store: str
) -> None:
    user = f"owner of {store}"
    token = service.make_token(store, user, all_stores=True)
    service.make_token(f"{store}-second", user)
    with service.administration() as administration:
        administration.remove_member(store, user)
        me = get_me(service, token).json()
        assert (me["store"], me["scopes"], "role" in me) == (store, [], False)
        assert [it["name"] for it in me["stores"]] == [f"{store}-second"]
        administration.remove_member(f"{store}-second", user)
    expect_refused(get_me(service, token), 40403)
