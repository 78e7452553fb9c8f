"""Which stores a token opens, as a list of their own."""

import httpx

from plantstore.model import Role, Scope
from tests.service import Service

READ_ONLY = {"role": "reader", "scopes": ["list"]}
ALL = {"role": "owner", "scopes": ["list", "create", "update", "delete"]}


def get_stores(service: Service, token: str, **headers: str) -> httpx.Response:
    with service.client(token) as client:
        return client.get("/stores", headers=headers)


def test_a_token_for_all_stores_lists_those_of_its_user_by_name(
    service: Service, store: str
) -> None:
    user, readable = f"owner of {store}", f"{store}-readable"
    token = service.make_token(store, user, all_stores=True)
    service.make_token(readable, "somebody")
    service.make_token(readable, user, role=Role.READER)
    service.make_token(f"{store}-others", "somebody")
    answer = get_stores(service, token)
    assert answer.headers["cache-control"] == "private, no-cache"
    assert answer.json() == [{"name": store} | ALL, {"name": readable} | READ_ONLY]


def test_a_token_for_one_store_lists_no_other(service: Service, store: str) -> None:
    token = service.make_token(store, "eve", scopes=frozenset({Scope.LIST}))
    service.make_token(f"{store}-second", "eve")
    found = get_stores(service, token).json()
    assert found == [{"name": store, "role": "owner", "scopes": ["list"]}]


def test_what_has_not_changed_is_not_sent_again(service: Service, store: str) -> None:
    token = service.make_token(store, "eve")
    etag = get_stores(service, token).headers["etag"]
    unchanged = get_stores(service, token, **{"If-None-Match": etag})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    service.set_role(store, "eve", Role.READER)
    changed = get_stores(service, token, **{"If-None-Match": etag})
    assert changed.json() == [{"name": store} | READ_ONLY]
