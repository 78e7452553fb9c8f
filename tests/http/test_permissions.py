"""Who may do what: every role, with every choice of scopes, and every operation."""

from collections.abc import Callable
from itertools import combinations

import httpx
import pytest

from plantstore.core.model import Role, Scope
from tests.databases import ON_BOTH
from tests.http.calls import create, create_plant, expect_refused
from tests.http.routes import ROUTES
from tests.service import Service

OPERATIONS: dict[Scope, Callable[[httpx.Client], httpx.Response]] = {
    Scope.LIST: lambda client: client.get("/plants"),
    Scope.CREATE: lambda client: create(client, '{"id": 2, "name": "Aloe"}'),
    Scope.UPDATE: lambda client: client.put("/plants/1", json={"name": "Moss"}),
    Scope.DELETE: lambda client: client.delete("/plants/1"),
}
_MANAGING = [it.path for it in ROUTES if (it.method, it.scope) == ("GET", Scope.MANAGE)]
if _MANAGING:  # the core has none
    OPERATIONS[Scope.MANAGE] = lambda client: client.get(_MANAGING[0])
# Some of them would be refused for what they have in them, too.
WRITES: list[Callable[[httpx.Client], httpx.Response]] = [
    lambda client: create(client, '{"id": 1, "name": "Fern"}'),
    lambda client: create(client, '{"id": 1}'),
    lambda client: create(client, '{"id": 9, "name": "Fern"}'),
    lambda client: client.put("/plants/1", json={"name": "Moss"}),
    lambda client: client.put("/plants/x", json={}),
    lambda client: client.delete("/plants/1"),
    lambda client: client.delete("/plants/x"),
]
SCOPES = [frozenset(scopes) for size in range(1, 6) for scopes in combinations(sorted(Scope), size)]


def expect_allowed(client: httpx.Client, allowed: frozenset[Scope]) -> None:
    """Just these operations are possible."""
    for scope, operate in OPERATIONS.items():
        answer = operate(client)
        if scope in allowed:
            assert answer.status_code in {200, 204}, answer.text
        else:
            assert f"one with the scope {scope.value}, " in expect_refused(answer, 40301)


@pytest.mark.parametrize("role", Role)
def test_a_token_may_do_what_its_scopes_and_its_role_allow(
    service: Service, client: httpx.Client, store: str, role: Role
) -> None:
    user = f"{role} of {store}"
    # A token cannot be made with scopes beyond the role, but the role can change later.
    tokens = {
        scopes: service.make_token(store, user, role=Role.OWNER, scopes=scopes) for scopes in SCOPES
    }
    service.set_role(store, user, role)
    for scopes, token in tokens.items():
        client.delete("/plants/2")
        create(client, '{"id": 1, "name": "Fern"}')
        with service.client(token) as other:
            expect_allowed(other, scopes & role.scopes)


@ON_BOTH
def test_a_write_is_refused_to_whom_it_was_allowed_a_moment_ago(
    service: Service, store: str
) -> None:
    user = f"editor of {store}"
    token = service.make_token(store, user, role=Role.EDITOR)
    with service.client(token) as client, service.administration() as administration:
        create_plant(client, 1, "Fern")
        before = service.events(store)
        service.set_role(store, user, Role.READER)
        for write in WRITES:
            expect_refused(write(client), 40301)
        service.set_role(store, user, Role.EDITOR)
        create_plant(client, 2, "Aloe")
        administration.remove_member(store, user)
        for write in WRITES:
            expect_refused(write(client), 40403)
        service.set_role(store, user, Role.EDITOR)
        create_plant(client, 3, "Basil")
        service.revoke(token)
        for write in WRITES:
            expect_refused(write(client), 40102)
    assert len(service.events(store)) == len(before) + 2


@ON_BOTH
@pytest.mark.parametrize("base", ["", "/stores/{store}"])
def test_a_list_seen_before_is_refused_to_a_former_member(
    service: Service, store: str, base: str
) -> None:
    user, path = f"editor of {store}", f"{base.format(store=store)}/plants"
    token = service.make_token(store, user, role=Role.EDITOR)
    with service.client(token) as client, service.administration() as administration:
        for _ in range(3):  # read, remembered, recalled
            assert client.get(path).status_code == 200
        administration.remove_member(store, user)
        for _ in range(2):
            expect_refused(client.get(path), 40403)
