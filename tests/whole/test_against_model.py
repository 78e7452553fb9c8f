"""Any sequence of requests, over HTTP, is answered as a plain model of a store says.

A failure prints the requests that led to it, and what repeats them.
"""

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import partial
from itertools import count, starmap
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from plantstore.core.model import NewPlant, Precondition, Role, Scope, entity_tag_of, token_id_of
from plantstore.core.tokens import hash_token
from tests.contract.harness import describe
from tests.databases import ON_BOTH, Kind
from tests.features.changes.client import changes_message, numbers_of, read_lines
from tests.features.events.http.event_stream import EventStream
from tests.http.expect import expect_error
from tests.http.model import MAX_PLANTS, Model, Token
from tests.http.raw import Connection, Message, Response
from tests.service import Service

IDS = (-1, 0, 1, 2, 3, 4, 2**63 - 1)
USERS = ("ada", "eve", "kiosk")
ROLES = (Role.OWNER, Role.EDITOR, Role.READER)  # at first
TAGS = (None, "green", "shade")
EXAMPLES = {"sqlite": 30, "postgres": 10}  # of 50 requests, some 5 s each
OTHER_TAG, NO_TOKEN = '"0123456789abcdef"', "0123456789abcdef"

pytestmark = ON_BOTH
_stores = count(1)
ids = st.sampled_from(IDS)
users = st.sampled_from(USERS)
tags = st.sampled_from(TAGS)
numbers = st.integers(0, 1000)  # of one of the tokens, or of the known entity tags
plants = st.builds(NewPlant, ids, st.sampled_from(("Fern", "Moss")), tags)
scopes = st.none() | st.frozensets(st.sampled_from(Scope), min_size=1)
changes = st.tuples(st.sampled_from(("create", "update", "upsert", "delete")), plants)
bases = st.sampled_from(("", "/stores/{store}"))
# What a request says of an entity tag: its header, and whether that has the right one.
conditions = st.none() | st.tuples(
    st.sampled_from(("If-Match", "If-None-Match")), st.sampled_from(("right", "wrong", "any"))
)


@pytest.fixture(scope="module")
def service(database_kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service where no store is deleted: a new store's first revision is 1."""
    folder = tmp_path_factory.mktemp("model")
    with database_kind.fresh(folder) as url, Service(folder, database=url) as running:
        yield running
        assert "Traceback" not in running.log()


class Requests(RuleBasedStateMachine):
    """Requests to a store of the service, each as one of its tokens."""

    service: Service

    def __init__(self) -> None:
        super().__init__()
        self.store = f"model-{next(_stores)}"
        self.model = Model(dict(zip(USERS, ROLES, strict=True)), [])
        for user, role in self.model.members.items():
            secret = self.service.make_token(self.store, user, role=role, scopes=role.scopes)
            token_id = token_id_of(hash_token(secret))
            self.model.tokens.append(Token(secret, token_id, user, role.scopes))
        with self.service.administration() as administration:
            administration.set_quota(self.store, MAX_PLANTS)
        self.connection = Connection(self.service.origin)
        self.etags: dict[tuple[int, str], str] = {}

    def teardown(self) -> None:
        """All events, in order, also as a stream."""
        store = self.model.store
        owner = self.model.tokens[0]
        if store.events and self.model.refuse(owner, Scope.LIST) is None:
            with EventStream(self.service.origin, owner.secret, "/events?after=0") as stream:
                events = stream.take(store.revision)
            assert [(it["kind"], it["plant"]) for it in events] == [
                (kind, describe(plant)) for kind, plant in store.events
            ]
        self.connection.close()

    def choose(self, number: int) -> Token:
        """One of the tokens; the owner's first one is the likeliest."""
        tokens = self.model.tokens
        return tokens[0] if number % 2 else tokens[number // 2 % len(tokens)]

    def ask(
        self,
        number: int,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """The answer to a request with a token."""
        message = Message(method, path.format(store=self.store))
        message = message.adding("Authorization", f"Bearer {self.choose(number).secret}")
        if body is not None:
            message = message.carrying(json.dumps(body).encode())
        for name, value in (headers or {}).items():
            message = message.adding(name, value)
        return self.connection.ask(message)

    # Plants

    @rule(number=numbers, base=bases, plant=plants, key=st.none() | st.sampled_from("ab"))
    def create(self, number: int, base: str, plant: NewPlant, key: str | None) -> None:
        """Create a plant, maybe with a key."""
        headers = {} if key is None else {"Idempotency-Key": key}
        body = describe(plant)
        answer = self.ask(number, "POST", f"{base}/plants", body, headers)
        before = self.model.store.revision
        status = self.model.write(self.choose(number), Scope.CREATE, plant, key=key)
        is_replay = status == 200 and before == self.model.store.revision
        assert answer.headers.get("idempotent-replayed") == ("true" if is_replay else None)
        expect(answer, status, describe(plant, with_ids=False))

    @rule(number=numbers, many=st.lists(changes, min_size=1, max_size=4), is_atomic=st.booleans())
    def change_many(
        self, number: int, many: list[tuple[str, NewPlant]], *, is_atomic: bool
    ) -> None:
        """Make some changes in one request, or none of them."""
        token = self.choose(number)
        lines = ({"op": op} | describe(plant) for op, plant in many)
        body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        target = f"/changes?atomic={str(is_atomic).lower()}"
        answer = self.connection.ask(changes_message(token.secret, body, target))
        if refused := self.model.refuse(token, None):
            expect_error(answer, refused)
            return
        before = deepcopy((self.model.store, self.model.authors))
        numbers = list(enumerate(starmap(partial(self.change, token), many), 1))
        if is_atomic and (refusals := [it for it in numbers if it[1] >= 300]):
            self.model.store, self.model.authors = before
            # Without a scope, a line is refused before the others are tried.
            line, number = next((it for it in refusals if it[1] == 40301), refusals[0])
            expect_error(answer, number)
            assert answer.json["message"].startswith(f"line {line}: ")
        else:
            assert numbers_of(read_lines(answer.body)) == numbers

    def change(self, token: Token, op: str, plant: NewPlant) -> int:
        """What a change gives."""
        if op != "upsert":
            return self.model.write(token, Scope(op), plant)
        refused = self.model.refuse(token, Scope.CREATE)
        status = refused or self.model.write(token, Scope.UPDATE, plant)
        return self.model.write(token, Scope.CREATE, plant) if status == 40401 else status

    @rule(number=numbers, base=bases, plant=plants, condition=conditions)
    def replace(
        self, number: int, base: str, plant: NewPlant, condition: tuple[str, str] | None
    ) -> None:
        """Replace a plant, maybe only as it was read."""
        headers, precondition = self.read_condition(plant.id, condition)
        path = f"{base}/plants/{plant.id}"
        answer = self.ask(number, "PUT", path, describe(plant, with_ids=False), headers)
        status = self.model.write(self.choose(number), Scope.UPDATE, plant, precondition)
        expect(answer, status, describe(plant, with_ids=False))
        if status == 200:
            assert answer.headers["etag"] == etag_of(plant)
            assert answer.headers["cache-control"] == "no-store"

    @rule(number=numbers, base=bases, plant_id=ids, condition=conditions)
    def delete(
        self, number: int, base: str, plant_id: int, condition: tuple[str, str] | None
    ) -> None:
        """Delete a plant, maybe only as it was read."""
        headers, precondition = self.read_condition(plant_id, condition)
        answer = self.ask(number, "DELETE", f"{base}/plants/{plant_id}", None, headers)
        plant = NewPlant(plant_id, "")
        expect(answer, self.model.write(self.choose(number), Scope.DELETE, plant, precondition))

    @rule(number=numbers, base=bases, plant_id=ids, condition=conditions)
    def read(
        self, number: int, base: str, plant_id: int, condition: tuple[str, str] | None
    ) -> None:
        """Read a plant, maybe only if it is another one, or still the same."""
        headers, precondition = self.read_condition(plant_id, condition)
        answer = self.ask(number, "GET", f"{base}/plants/{plant_id}", None, headers)
        plant = self.model.store.plants.get(plant_id)
        refused = self.model.refuse(self.choose(number), Scope.LIST)
        if refused is not None or plant is None:
            expect(answer, refused or 40401)
            return
        tag = entity_tag_of(plant)
        if precondition is not None and not precondition.matches(tag):
            expect(answer, 41201)
            return
        is_known = precondition is not None and precondition.excludes(tag)
        expect(answer, 304 if is_known else 200, describe(plant, with_ids=False))
        assert answer.headers["etag"] == f'"{tag}"'

    def read_condition(
        self, plant_id: int, condition: tuple[str, str] | None
    ) -> tuple[dict[str, str], Precondition | None]:
        """The header, and what it says."""
        if condition is None:
            return {}, None
        name, kind = condition
        plant = self.model.store.plants.get(plant_id)
        right = OTHER_TAG if plant is None else etag_of(plant)
        header = {"right": right, "wrong": OTHER_TAG, "any": "*"}[kind]
        said = (header.strip('"'),)
        precondition = Precondition(said, None) if name == "If-Match" else Precondition(None, said)
        return {name: header}, precondition

    # Lists

    @rule(
        number=numbers,
        base=bases,
        limit=st.none() | st.integers(0, 4),
        tag=tags,
        with_ids=st.booleans(),
    )
    def list_plants(
        self, number: int, base: str, limit: int | None, tag: str | None, *, with_ids: bool
    ) -> None:
        """List plants, page by page."""
        given = {"limit": limit, "tag": tag, "include": "id" if with_ids else None}
        query = urlencode({name: value for name, value in given.items() if value is not None})
        refused = self.model.refuse(self.choose(number), Scope.LIST)
        stored = sorted(self.model.store.plants.values(), key=lambda plant: plant.id)
        left = [describe(it, with_ids=with_ids) for it in stored if tag in {None, it.tag}]
        total = str(len(left))
        while True:
            answer = self.ask(number, "GET", f"{base}/plants?{query}")
            expect(answer, refused or 200, left[:limit])
            if refused is not None:
                return
            assert answer.headers["x-total-count"] == total
            self.check_etag(number, base, query, answer)
            left = [] if not limit else left[limit:]
            assert ("link" in answer.headers) == bool(left)
            if not left:
                return
            query = answer.headers["link"].removeprefix("<?").removesuffix('>; rel="next"')

    def check_etag(self, number: int, base: str, query: str, answer: Response) -> None:
        """The list's entity tag is of its revision and query, and only a current one is known."""
        etag = answer.headers["etag"]
        key = (self.model.store.revision, query)
        assert self.etags.setdefault(key, etag) == etag
        assert sum(known == etag for known in self.etags.values()) == 1
        old = [it for (revision, its), it in self.etags.items() if its == query]
        for known in (etag, old[0]):
            again = self.ask(
                number, "GET", f"{base}/plants?{query}", None, {"If-None-Match": known}
            )
            expect(again, 304 if known == etag else 200, answer.json)

    @rule(number=numbers, base=bases, after=st.none() | st.integers(0, 40), limit=st.integers(1, 9))
    def list_events(self, number: int, base: str, after: int | None, limit: int) -> None:
        """Read the events after a revision; only an owner sees who did what."""
        token = self.choose(number)
        query = f"limit={limit}" if after is None else f"limit={limit}&after={after}"
        answer = self.ask(number, "GET", f"{base}/events?{query}")
        is_owner = self.model.members.get(token.user) is Role.OWNER
        events = [
            {"revision": revision, "kind": kind, "plant": describe(plant)}
            | ({"user": author.user, "token_id": author.id} if is_owner else {})
            for revision, ((kind, plant), author) in enumerate(
                zip(self.model.store.events, self.model.authors, strict=True), 1
            )
        ][after or 0 :]
        refused = self.model.refuse(token, Scope.LIST)
        if refused is not None:
            expect(answer, refused)
            return
        if (after or 0) > self.model.store.revision:
            expect(answer, 41001)
            return
        assert answer.status == 200
        listed = [
            {k: v for k, v in it.items() if k not in {"at", "token_label"}} for it in answer.json
        ]
        assert listed == events[:limit]
        assert ("link" in answer.headers) == (len(events) > limit)

    # Access

    @rule(number=numbers, base=bases, user=users, role=st.sampled_from(Role))
    def set_member(self, number: int, base: str, user: str, role: Role) -> None:
        """Give a user a role."""
        answer = self.ask(number, "PUT", f"{base}/members/{user}", {"role": role})
        status = self.model.set_member(self.choose(number), user, role)
        expect(answer, status, {"user": user, "role": role})
        if status in {200, 201}:
            assert answer.headers["cache-control"] == "no-store"

    @rule(number=numbers, base=bases, user=users)
    def remove_member(self, number: int, base: str, user: str) -> None:
        """Remove a member."""
        answer = self.ask(number, "DELETE", f"{base}/members/{user}")
        expect(answer, self.model.remove_member(self.choose(number), user))

    @rule(number=numbers, user=users, wanted=scopes)
    def create_token(self, number: int, user: str, wanted: frozenset[Scope] | None) -> None:
        """Create a token for a member."""
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


def etag_of(plant: NewPlant) -> str:
    return f'"{entity_tag_of(plant)}"'


def in_order(chosen: frozenset[Scope]) -> list[str]:
    return [scope.value for scope in Scope if scope in chosen]


def token_body(user: str, wanted: frozenset[Scope] | None) -> dict[str, object]:
    return {"user": user} if wanted is None else {"user": user, "scopes": in_order(wanted)}


def expect(answer: Response, status: int, body: object = None) -> None:
    """The answer has this status and body, or is this error."""
    if status >= 1000:
        expect_error(answer, status)
        return
    assert answer.status == status, answer
    if status in {204, 304}:
        assert answer.body == b""
    elif body is not None:
        assert answer.json == body


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
