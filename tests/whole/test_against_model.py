"""Random sequences of HTTP requests get the responses that a model of a store predicts.

A failure prints its requests, and how to reproduce it.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from plantstore.core.model import Role, Scope
from tests.databases import ON_BOTH, Kind
from tests.http.model import Token
from tests.http.raw import Message
from tests.service import Service
from tests.whole.list_requests import ListRequests
from tests.whole.plant_requests import PlantRequests
from tests.whole.store_requests import (
    NO_TOKEN,
    bases,
    expect,
    in_order,
    numbers,
    scopes,
    token_body,
    users,
)

EXAMPLES = {"sqlite": 30, "postgres": 10}  # of 50 requests, some 5 s each

pytestmark = ON_BOTH


@pytest.fixture(scope="module")
def service(database_kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service where no store is deleted: a new store's first revision is 1."""
    folder = tmp_path_factory.mktemp("model")
    with database_kind.fresh(folder) as url, Service(folder, database=url) as running:
        yield running
        assert "Traceback" not in running.log()


class Requests(PlantRequests, ListRequests):
    """All requests, including those about access."""

    @rule(number=numbers, base=bases, user=users, role=st.sampled_from(Role))
    def set_member(self, number: int, base: str, user: str, role: Role) -> None:
        response = self.request(number, "PUT", f"{base}/members/{user}", {"role": role})
        status = self.model.set_member(self.choose(number), user, role)
        expect(response, status, {"user": user, "role": role})
        if status in {200, 201}:
            assert response.headers["cache-control"] == "no-store"

    @rule(number=numbers, base=bases, user=users)
    def remove_member(self, number: int, base: str, user: str) -> None:
        response = self.request(number, "DELETE", f"{base}/members/{user}")
        expect(response, self.model.remove_member(self.choose(number), user))

    @rule(number=numbers, user=users, requested=scopes)
    def create_token(self, number: int, user: str, requested: frozenset[Scope] | None) -> None:
        response = self.request(number, "POST", "/tokens", token_body(user, requested))
        status, granted = self.model.grant(self.choose(number), user, requested)
        expect(response, status)
        if status == 201:
            self.add_token(response.json, user, granted)

    @rule(number=numbers, user=users, requested=scopes)
    def use_link(self, number: int, user: str, requested: frozenset[Scope] | None) -> None:
        """Create a link and redeem it, which works once."""
        response = self.request(number, "POST", "/links", token_body(user, requested))
        status, granted = self.model.grant(self.choose(number), user, requested)
        expect(response, status)
        if status == 201:
            code = Message("POST", "/links/redeem").with_body(
                json.dumps({"code": response.json["code"]}).encode()
            )
            redeemed = self.connection.request(code)
            expect(redeemed, 201)
            assert redeemed.json["store"] == self.store
            self.add_token(redeemed.json, user, granted)
            expect(self.connection.request(code), 40406)

    def add_token(self, record: dict[str, Any], user: str, granted: frozenset[Scope]) -> None:
        """Check the record of a new token, and remember the token."""
        assert (record["user"], record["scopes"]) == (user, in_order(granted))
        self.model.tokens.append(Token(record["token"], record["id"], user, granted))

    @rule(number=numbers, index=numbers, base=bases)
    def revoke_token(self, number: int, index: int, base: str) -> None:
        """Revoke a token, but not the owner's first one."""
        revoked = self.choose(index * 2)
        is_first = revoked is self.model.tokens[0]
        token_id = NO_TOKEN if is_first else revoked.id
        response = self.request(number, "DELETE", f"{base}/tokens/{token_id}")
        refused = self.model.refuse(self.choose(number), Scope.MANAGE)
        expect(response, refused or (40405 if is_first else 204))
        revoked.is_revoked |= refused is None and not is_first

    @rule(number=numbers, base=bases)
    def list_access(self, number: int, base: str) -> None:
        """List the members and the valid tokens."""
        refused = self.model.refuse(self.choose(number), Scope.MANAGE)
        members = [{"user": it, "role": role} for it, role in sorted(self.model.members.items())]
        response = self.request(number, "GET", f"{base}/members")
        expect(response, refused or 200)
        if refused is None:
            assert [{"user": it["user"], "role": it["role"]} for it in response.json] == members
        response = self.request(number, "GET", f"{base}/tokens")
        expect(response, refused or 200)
        if refused is None:
            assert {it["id"]: (it["user"], it["scopes"]) for it in response.json} == {
                it.id: (it.user, in_order(it.scopes))
                for it in self.model.tokens
                if not it.is_revoked
            }

    @rule(number=numbers)
    def describe_me(self, number: int) -> None:
        """Read the token's user and store."""
        token = self.choose(number)
        refused = self.model.refuse(token, None)
        role, permissions = (
            self.model.members.get(token.user),
            in_order(self.model.permissions(token)),
        )
        stores = [{"name": self.store, "role": role, "scopes": permissions}]
        me = self.request(number, "GET", "/me")
        expect(me, refused or 200)
        if refused is None:
            assert (me.json["user"], me.json["role"]) == (token.user, role)
            listed = [
                {key: it[key] for key in ("name", "role", "scopes")} for it in me.json["stores"]
            ]
            assert (me.json["scopes"], listed) == (permissions, stores)


def test_random_requests_get_the_responses_of_the_model(
    database_kind: Kind, service: Service
) -> None:
    Requests.service = service
    limits = settings(
        max_examples=EXAMPLES[database_kind.name],
        stateful_step_count=50,
        phases=[Phase.generate],  # shrinking a failure takes minutes
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Requests, settings=limits)
