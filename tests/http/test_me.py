"""Who a token's bearer is, and what it opens."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest

from plantstore.core.model import EXPIRY_MAX, Role
from tests.http.calls import expect_refused
from tests.service import Service

ALL = ["list", "create", "update", "delete"]


def get_me(service: Service, token: str) -> httpx.Response:
    with service.client(token) as client:
        return client.get("/me")


def test_a_bearer_is_told_its_user_and_its_one_store(
    service: Service, store: str, token: str
) -> None:
    service.make_token(f"{store}-second", f"owner-of-{store}")
    answer = get_me(service, token)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    me = answer.json()
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
    ("expires_at", "told"),
    [(4102444800123, "2100-01-01T00:00:00.123Z"), (EXPIRY_MAX, "9999-12-31T23:59:59.999Z")],
)
def test_an_expiry_is_told_in_utc(service: Service, store: str, expires_at: int, told: str) -> None:
    token = service.make_token(store, expires_at=expires_at)
    assert get_me(service, token).json()["expires_at"] == told


def test_a_token_for_all_stores_tells_each_with_its_role(service: Service, store: str) -> None:
    user, readable = f"owner of {store}", f"{store}-readable"
    token = service.make_token(store, user, all_stores=True)
    service.make_token(f"{store}-other", f"other of {store}")
    service.make_token(readable, f"owner of {readable}")
    service.make_token(readable, user, role=Role.READER)
    for name in (f"{store}-z", f"{store}a", f"{store}-a"):
        service.make_token(name, user)
    stores = get_me(service, token).json()["stores"]
    assert (stores[0]["name"], stores[0]["role"], stores[0]["scopes"]) == (store, "owner", ALL)
    assert [one["scopes"] for one in stores if one["name"] == readable] == [["list"]]
    with service.client(token) as client:
        assert [client.get(f"/stores/{one['name']}").json() for one in stores] == stores
        expect_refused(client.get(f"/stores/{store}-other"), 40403)
    names = [one["name"] for one in stores]
    assert names == sorted([store, readable, f"{store}-z", f"{store}a", f"{store}-a"])


def test_who_has_left_the_own_store_is_told_the_others(service: Service, store: str) -> None:
    user = f"owner of {store}"
    token = service.make_token(store, user, all_stores=True)
    service.make_token(f"{store}-second", user)
    with service.administration() as administration:
        administration.remove_member(store, user)
        me = get_me(service, token).json()
        assert (me["store"], me["scopes"], "role" in me) == (store, [], False)
        assert [one["name"] for one in me["stores"]] == [f"{store}-second"]
        administration.remove_member(f"{store}-second", user)
    expect_refused(get_me(service, token), 40403)
