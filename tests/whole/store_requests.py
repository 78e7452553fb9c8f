"""Requests to a store with its tokens, and a model of the store."""

import json
from collections.abc import Mapping
from itertools import count

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from plantstore.core.model import NewPlant, Role, Scope, entity_tag_of, token_id_of
from plantstore.core.tokens import hash_token
from tests.contract.harness import describe
from tests.features.events.http.event_stream import EventStream
from tests.http.expect import expect_error
from tests.http.model import MAX_PLANTS, Model, Token
from tests.http.raw import Connection, Message, Response
from tests.service import Service

IDS = (-1, 0, 1, 2, 3, 4, 2**63 - 1)
USERS = ("ada", "eve", "kiosk")
ROLES = (Role.OWNER, Role.EDITOR, Role.READER)  # initially
TAGS = (None, "green", "shade")
OTHER_TAG, NO_TOKEN = '"0123456789abcdef"', "0123456789abcdef"

_stores = count(1)
ids = st.sampled_from(IDS)
users = st.sampled_from(USERS)
tags = st.sampled_from(TAGS)
numbers = st.integers(0, 1000)  # choose a token, or a known entity tag
plants = st.builds(NewPlant, ids, st.sampled_from(("Fern", "Moss")), tags)
scopes = st.none() | st.frozensets(st.sampled_from(Scope), min_size=1)
changes = st.tuples(st.sampled_from(("create", "update", "upsert", "delete")), plants)
bases = st.sampled_from(("", "/stores/{store}"))
# A precondition: its header, and whether it has the right entity tag.
conditions = st.none() | st.tuples(
    st.sampled_from(("If-Match", "If-None-Match")), st.sampled_from(("right", "wrong", "any"))
)


class StoreRequests(RuleBasedStateMachine):
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
        """Check that the event stream has all events in order."""
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
        """Choose a token, most often the first, which is the owner's."""
        tokens = self.model.tokens
        return tokens[0] if number % 2 else tokens[number // 2 % len(tokens)]

    def request(
        self,
        number: int,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        message = Message(method, path.format(store=self.store))
        message = message.with_header("Authorization", f"Bearer {self.choose(number).secret}")
        if body is not None:
            message = message.with_body(json.dumps(body).encode())
        for name, value in (headers or {}).items():
            message = message.with_header(name, value)
        return self.connection.request(message)


def etag_of(plant: NewPlant) -> str:
    return f'"{entity_tag_of(plant)}"'


def in_order(scopes: frozenset[Scope]) -> list[str]:
    return [scope.value for scope in Scope if scope in scopes]


def token_body(user: str, requested: frozenset[Scope] | None) -> dict[str, object]:
    return {"user": user} if requested is None else {"user": user, "scopes": in_order(requested)}


def expect(response: Response, status: int, body: object = None) -> None:
    """Check that the response has this status and body, or is this error."""
    if status >= 1000:
        expect_error(response, status)
        return
    assert response.status == status, response
    if status in {204, 304}:
        assert response.body == b""
    elif body is not None:
        assert response.json == body
