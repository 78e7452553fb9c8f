"""A write that begins without a look-up is refused like any other."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from plantstore.core.model import Role
from plantstore.core.tokens import make_token
from plantstore.http.known_tokens import KnownTokens
from tests.databases import ON_BOTH
from tests.http.blocking import blocked_writes
from tests.http.conftest import StartService
from tests.http.expect import expect_error
from tests.http.fixtures import CREATES, DELETES, LISTS, UPDATES, make_fixture
from tests.sqlite.writes import ADA
from tests.waiting import wait_until

OWN_WRITES = (CREATES[0], UPDATES[0], DELETES[0])


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
    token = known.get(b"Bearer")
    assert token is not None
    assert len(token.callers) <= 64
    assert token.writes_until == 0
