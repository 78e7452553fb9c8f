"""Any sequence of requests, over HTTP, is answered as a plain model of a store says.

A failure prints the requests that led to it, and what repeats them.
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
    """All requests, with those about access."""

    @rule(number=numbers, base=bases, user=users, role=st.sampled_from(Role))
    def set_member(self, number: int, base: str, user: str, role: Role) -> None:
        answer = self.ask(number, "PUT", f"{base}/members/{user}", {"role": role})
        status = self.model.set_member(self.choose(number), user, role)
        expect(answer, status, {"user": user, "role": role})
        if status in {200, 201}:
            assert answer.headers["cache-control"] == "no-store"

    @rule(number=numbers, base=bases, user=users)
    def remove_member(self, number: int, base: str, user: str) -> None:
        answer = self.ask(number, "DELETE", f"{base}/members/{user}")
        expect(answer, self.model.remove_member(self.choose(number), user))

    @rule(number=numbers, user=users, wanted=scopes)
    def create_token(self, number: int, user: str, wanted: frozenset[Scope] | None) -> None:
        answer = self.ask(number, "POST", "/tokens", token_body(user, wanted))
        status, given = self.model.grant(self.choose(number), user, wanted)
        expect(answer, status)
        if status == 201:
            self.note_token(answer.json, user, given)

    @rule(number=numbers, user=users, wanted=scopes)
    def use_link(self, number: int, user: str, wanted: frozenset[Scope] | None) -> None:
        """Make a link, and use it, which is possible once."""
        answer = self.ask(number, "POST", "/links", token_body(user, wanted))
        status, given = self.model.grant(self.choose(number), user, wanted)
        expect(answer, status)
        if status == 201:
            code = Message("POST", "/links/redeem").carrying(
                json.dumps({"code": answer.json["code"]}).encode()
            )
            used = self.connection.ask(code)
            expect(used, 201)
            assert used.json["store"] == self.store
            self.note_token(used.json, user, given)
            expect(self.connection.ask(code), 40406)

    def note_token(self, made: dict[str, Any], user: str, given: frozenset[Scope]) -> None:
        """Keep a token, whose record must be right."""
        assert (made["user"], made["scopes"]) == (user, in_order(given))
        self.model.tokens.append(Token(made["token"], made["id"], user, given))

    @rule(number=numbers, which=numbers, base=bases)
    def revoke_token(self, number: int, which: int, base: str) -> None:
        """Revoke a token, but not the owner's first one."""
        revoked = self.choose(which * 2)
        is_first = revoked is self.model.tokens[0]
        token_id = NO_TOKEN if is_first else revoked.id
        answer = self.ask(number, "DELETE", f"{base}/tokens/{token_id}")
        refused = self.model.refuse(self.choose(number), Scope.MANAGE)
        expect(answer, refused or (40405 if is_first else 204))
        revoked.is_revoked |= refused is None and not is_first

    @rule(number=numbers, base=bases)
    def list_access(self, number: int, base: str) -> None:
        """Who is a member, and which tokens are valid."""
        refused = self.model.refuse(self.choose(number), Scope.MANAGE)
        members = [{"user": it, "role": role} for it, role in sorted(self.model.members.items())]
        answer = self.ask(number, "GET", f"{base}/members")
        expect(answer, refused or 200)
        if refused is None:
            assert [{"user": it["user"], "role": it["role"]} for it in answer.json] == members
        answer = self.ask(number, "GET", f"{base}/tokens")
        expect(answer, refused or 200)
        if refused is None:
            assert {it["id"]: (it["user"], it["scopes"]) for it in answer.json} == {
                it.id: (it.user, in_order(it.scopes))
                for it in self.model.tokens
                if not it.is_revoked
            }

    @rule(number=numbers)
    def describe_me(self, number: int) -> None:
        """Who calls, and the store that the token opens."""
        token = self.choose(number)
        refused = self.model.refuse(token, None)
        role, may = self.model.members.get(token.user), in_order(self.model.permissions(token))
        stores = [{"name": self.store, "role": role, "scopes": may}]
        me = self.ask(number, "GET", "/me")
        expect(me, refused or 200)
        if refused is None:
            assert (me.json["user"], me.json["role"]) == (token.user, role)
            shown = [
                {key: it[key] for key in ("name", "role", "scopes")} for it in me.json["stores"]
            ]
            assert (me.json["scopes"], shown) == (may, stores)


def test_the_service_answers_as_a_plain_model_says(database_kind: Kind, service: Service) -> None:
    Requests.service = service
    limits = settings(
        max_examples=EXAMPLES[database_kind.name],
        stateful_step_count=50,
        phases=[Phase.generate],  # to shrink what fails takes minutes
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Requests, settings=limits)
