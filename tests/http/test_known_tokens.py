"""Who may no longer do what they did is refused, also where no look-up is needed to begin."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from plantstore.core.model import Caller, Role
from plantstore.core.tokens import make_token
from plantstore.http.known_tokens import KnownTokens
from tests.databases import ON_BOTH
from tests.http.blocking import blocked_writes
from tests.http.calls import create, create_plant, expect_refused
from tests.http.conftest import StartService
from tests.http.expect import expect_error
from tests.http.fixtures import CREATES, DELETES, LISTS, UPDATES, make_fixture
from tests.service import Service
from tests.waiting import wait_until

ADA = Caller(1, bytes(32), 1, "", None, 1, Role.OWNER, frozenset(), 0, (1, 1))
OWN_WRITES = (CREATES[0], UPDATES[0], DELETES[0])


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


@ON_BOTH
def test_a_write_is_refused_to_whom_it_was_allowed_recently(service: Service, store: str) -> None:
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
        for _ in range(3):  # read, cached, found by its bytes
            assert client.get(path).status_code == 200
        administration.remove_member(store, user)
        for _ in range(2):
            expect_refused(client.get(path), 40403)


@ON_BOTH
def test_a_revoked_token_beyond_its_rate_is_refused_as_revoked(start: StartService) -> None:
    fixture = make_fixture(start(rate_limit="2/hour"))
    assert fixture.send(fixture.message(UPDATES[0])).status == 200
    expect_error(fixture.send(fixture.message(UPDATES[0])), 42901)
    fixture.service.revoke(fixture.token)
    for route in OWN_WRITES:
        expect_error(fixture.send(fixture.message(route)), 40102)


@ON_BOTH
def test_a_token_refused_once_takes_no_more_transactions(start: StartService) -> None:
    fixture = make_fixture(start(write_timeout=0.3))
    fixture.service.revoke(fixture.token)
    expect_error(fixture.send(fixture.message(UPDATES[0])), 40102)
    with blocked_writes(fixture.service):
        for route in OWN_WRITES:
            expect_error(fixture.send(fixture.message(route)), 40102)


@ON_BOTH
def test_a_revoked_token_is_refused_as_such_where_writes_wait(start: StartService) -> None:
    fixture = make_fixture(start(max_writes=1, write_timeout=30))
    revoked = fixture.service.make_token(fixture.store, "eve", role=Role.EDITOR)
    assert fixture.send(fixture.message(UPDATES[0], revoked)).status == 200
    fixture.service.revoke(revoked)
    with ThreadPoolExecutor(8) as threads, blocked_writes(fixture.service):
        waiting = [threads.submit(fixture.send, fixture.message(UPDATES[0])) for _ in range(8)]
        wait_until(lambda: any(one.done() for one in waiting))  # there is no more room
        answer = fixture.send(fixture.message(UPDATES[0], revoked))
    expect_error(answer, 40102)


@pytest.mark.parametrize("spelling", ["bearer {}", "Bearer   {}", "BEARER {} "])
def test_a_token_is_known_however_it_is_sent(start: StartService, spelling: str) -> None:
    fixture = make_fixture(start(invalid_token_rate="1/day"))
    list_plants = fixture.message(LISTS[0])
    assert fixture.send(list_plants).status == 200
    for number in (40102, 42901):  # now who guesses from this address is refused
        expect_error(fixture.send(list_plants.bearing(make_token(1))), number)
    sent = list_plants.setting("Authorization", spelling.format(fixture.token))
    assert fixture.send(sent).status == 200


def test_a_token_makes_room_for_its_next_stores() -> None:
    known = KnownTokens()
    known.put(b"Bearer", None, ADA)
    for number in range(1000):
        known.put(b"Bearer", f"store-{number}", ADA)
    token = known.tokens.get(b"Bearer")
    assert token is not None
    assert len(token.callers) <= 64
    assert token.writes_until == 0
