"""Revoked permissions apply at once, although tokens are cached."""

from collections.abc import Callable

import httpx
import pytest

from plantstore.core.model import Caller, Role
from plantstore.core.tokens import make_token
from plantstore.http.authentication import KnownTokens
from tests.databases import ON_BOTH
from tests.http.blocking import blocked_writes
from tests.http.calls import create, create_plant, expect_refused
from tests.http.conftest import StartService
from tests.http.expect import expect_error
from tests.http.fixtures import CREATES, DELETES, LISTS, UPDATES, make_fixture
from tests.service import Service

ADA = Caller(1, bytes(32), 1, "", None, 1, Role.OWNER, frozenset(), 0, (1, 1))
OWN_WRITES = (CREATES[0], UPDATES[0], DELETES[0])


# Some of them would be refused for their contents, too.
WRITES: list[Callable[[httpx.Client], httpx.Response]] = [
    lambda client: create(client, '{"id": 1, "name": "Fern"}'),
    lambda client: create(client, '{"id": 1}'),
    lambda client: create(client, '{"id": 9, "name": "Fern"}'),
    lambda client: client.put("/plants/1", json={"name": "Moss"}),
    lambda client: client.put("/plants/x", json={}),
    lambda client: client.delete("/plants/1"),
    lambda client: client.delete("/plants/x"),
]


@ON_BOTH
def test_a_cached_token_cannot_write_after_its_permission_is_revoked(
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
def test_a_cached_list_is_refused_to_a_former_member(
    service: Service, store: str, base: str
) -> None:
    user, path = f"editor of {store}", f"{base.format(store=store)}/plants"
    token = service.make_token(store, user, role=Role.EDITOR)
    with service.client(token) as client, service.administration() as administration:
        for _ in range(3):  # read, cached by query, cached by bytes
            assert client.get(path).status_code == 200
        administration.remove_member(store, user)
        for _ in range(2):
            expect_refused(client.get(path), 40403)


@ON_BOTH
def test_a_revoked_token_over_its_rate_limit_gets_401(start: StartService) -> None:
    fixture = make_fixture(start(rate_limit="2/hour"))
    assert fixture.send(fixture.message(UPDATES[0])).status == 200
    expect_error(fixture.send(fixture.message(UPDATES[0])), 42901)
    fixture.service.revoke(fixture.token)
    for route in OWN_WRITES:
        expect_error(fixture.send(fixture.message(route)), 40102)


@ON_BOTH
def test_a_token_known_as_revoked_is_refused_without_a_transaction(start: StartService) -> None:
    fixture = make_fixture(start(write_timeout=0.3))
    fixture.service.revoke(fixture.token)
    expect_error(fixture.send(fixture.message(UPDATES[0])), 40102)
    with blocked_writes(fixture.service):
        for route in OWN_WRITES:
            expect_error(fixture.send(fixture.message(route)), 40102)


def test_a_revoked_token_gets_401_while_its_store_may_not_write(start: StartService) -> None:
    fixture = make_fixture(start(max_written_bytes=2000))
    revoked = fixture.service.make_token(fixture.store, "eve", role=Role.EDITOR)
    assert fixture.send(fixture.message(UPDATES[0], revoked)).status == 200
    fixture.service.revoke(revoked)
    while fixture.send(fixture.message(UPDATES[0])).status == 200:
        pass
    expect_error(fixture.send(fixture.message(UPDATES[0])), 50301)
    expect_error(fixture.send(fixture.message(UPDATES[0], revoked)), 40102)


@pytest.mark.parametrize("spelling", ["bearer {}", "Bearer   {}", "BEARER {} "])
def test_a_cached_token_is_found_in_any_spelling_of_the_header(
    start: StartService, spelling: str
) -> None:
    fixture = make_fixture(start(invalid_token_rate="1/day"))
    list_plants = fixture.message(LISTS[0])
    assert fixture.send(list_plants).status == 200
    for number in (40102, 42901):  # now this address's invalid tokens are over the limit
        expect_error(fixture.send(list_plants.with_token(make_token(1))), number)
    sent = list_plants.replacing_header("Authorization", spelling.format(fixture.token))
    assert fixture.send(sent).status == 200


def test_the_cache_keeps_a_limited_number_of_stores_for_a_token() -> None:
    known = KnownTokens()
    known.add(b"Bearer", ADA.principal, ADA.token_hash)
    known.put(b"Bearer", None, ADA)
    for number in range(1000):
        known.put(b"Bearer", f"store-{number}", ADA)
    token = known.tokens.get(b"Bearer")
    assert token is not None
    assert len(token.callers) <= 64
    assert token.writes_until == 0
