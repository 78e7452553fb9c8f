"""Who may do what: every role, with every choice of scopes, and every operation."""

from collections.abc import Callable
from itertools import combinations

import httpx
import pytest

from plantstore.model import Role, Scope
from tests.http.calls import create, expect_refused
from tests.service import Service

OPERATIONS: dict[Scope, Callable[[httpx.Client], httpx.Response]] = {
    Scope.LIST: lambda client: client.get("/plants"),
    Scope.CREATE: lambda client: create(client, '{"id": 2, "name": "Aloe"}'),
    Scope.UPDATE: lambda client: client.put("/plants/1", json={"name": "Moss"}),
    Scope.DELETE: lambda client: client.delete("/plants/1"),
    Scope.MANAGE: lambda client: client.get("/members"),
}
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
