"""A write that begins without a look-up is refused like any other."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from plantstore.core.model import Role
from plantstore.core.tokens import make_token
from plantstore.http.known_tokens import KnownTokens
from tests.databases import ON_BOTH
from tests.http.blocking import blocked_writes
from tests.http.expect import expect_error
from tests.http.fixtures import CREATES, DELETES, LISTS, UPDATES, make_fixture
from tests.service import Service
from tests.sqlite.writes import ADA
from tests.waiting import wait_until

OWN_WRITES = (CREATES[0], UPDATES[0], DELETES[0])


@ON_BOTH
def test_a_revoked_token_beyond_its_rate_is_refused_as_revoked(tmp_path: Path, url: str) -> None:
    with Service(tmp_path, database=url, settings={"rate_limit": "2/hour"}) as limited:
        fixture = make_fixture(limited)
        assert fixture.send(fixture.message(UPDATES[0])).status == 200
        expect_error(fixture.send(fixture.message(UPDATES[0])), 42901)
        limited.revoke(fixture.token)
        for route in OWN_WRITES:
            expect_error(fixture.send(fixture.message(route)), 40102)


@ON_BOTH
def test_a_token_refused_once_takes_no_more_transactions(tmp_path: Path, url: str) -> None:
    with Service(tmp_path, database=url, settings={"write_timeout": 0.3}) as running:
        fixture = make_fixture(running)
        running.revoke(fixture.token)
        expect_error(fixture.send(fixture.message(UPDATES[0])), 40102)
        with blocked_writes(running):
            answers = [fixture.send(fixture.message(route)) for route in OWN_WRITES]
        for answer in answers:
            expect_error(answer, 40102)


@ON_BOTH
def test_a_revoked_token_is_refused_as_such_where_writes_wait(tmp_path: Path, url: str) -> None:
    settings = {"max_writes": 1, "write_timeout": 30}
    with Service(tmp_path, database=url, settings=settings) as running:
        fixture = make_fixture(running)
        revoked = running.make_token(fixture.store, "eve", role=Role.EDITOR)
        assert fixture.send(fixture.message(UPDATES[0], revoked)).status == 200
        running.revoke(revoked)
        with ThreadPoolExecutor(8) as threads, blocked_writes(running):
            waiting = [threads.submit(fixture.send, fixture.message(UPDATES[0])) for _ in range(8)]
            wait_until(lambda: any(one.done() for one in waiting))  # there is no more room
            answer = fixture.send(fixture.message(UPDATES[0], revoked))
        expect_error(answer, 40102)


@pytest.mark.parametrize("spelling", ["bearer {}", "Bearer   {}", "BEARER {} "])
def test_a_token_is_known_however_it_is_sent(tmp_path: Path, spelling: str) -> None:
    with Service(tmp_path, settings={"invalid_token_rate": "1/day"}) as limited:
        fixture = make_fixture(limited)
        list_plants = fixture.message(LISTS[0])
        assert fixture.send(list_plants).status == 200
        for number in (40102, 42901):  # now who guesses from this address is refused
            expect_error(fixture.send(fixture.message(LISTS[0], make_token(1))), number)
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
