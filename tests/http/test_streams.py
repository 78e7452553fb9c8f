"""Places for long lists: nobody has so many that others get none."""

import asyncio
from contextlib import ExitStack
from pathlib import Path

import pytest

from plantstore.errors import OverloadedError
from plantstore.http.limits.streams import StreamPlaces
from plantstore.model import Caller, Role, Scope
from tests.http.blocking import FILLER, fill_store, in_flight_stream
from tests.http.expect import expect_error
from tests.http.fixtures import LISTS, make_fixture
from tests.service import Service


def caller(user_id: int, store_id: int) -> Caller:
    may = frozenset({Scope.LIST})
    return Caller(0, bytes(32), user_id, "", None, store_id, Role.READER, may, 0, (0, user_id))


async def acquire_many(places: StreamPlaces, *callers: Caller) -> list[bool]:
    """Who of the callers, all at once, gets a place."""
    results = await asyncio.gather(*map(places.acquire, callers), return_exceptions=True)
    assert all(result is None or isinstance(result, OverloadedError) for result in results)
    return [result is None for result in results]


def test_a_user_has_a_quarter_of_the_places_and_a_store_a_half() -> None:
    async def run() -> list[bool]:
        places = StreamPlaces(8)
        of_one = [caller(user, 1) for user in (1, 1, 1, 2, 2, 3)]
        of_others = [caller(1, 2), caller(3, 2), caller(3, 2), caller(4, 3), caller(4, 3)]
        return await acquire_many(places, *of_one, *of_others, caller(5, 4))

    third, of_a_full_store = False, False
    of_one = [True, True, third, True, True, of_a_full_store]
    of_others = [False, True, True, True, True]
    assert asyncio.run(run()) == [*of_one, *of_others, False]


def test_one_place_is_anybodys() -> None:
    async def run() -> list[bool]:
        return await acquire_many(StreamPlaces(1), caller(1, 1), caller(2, 2))

    assert asyncio.run(run()) == [True, False]


def test_a_place_that_becomes_free_is_the_first_ones_who_may_have_it() -> None:
    async def run() -> None:
        places = StreamPlaces(4)
        for user in (1, 2):
            await places.acquire(caller(user, 1))
        of_user, of_store, last = (
            asyncio.ensure_future(places.acquire(one))
            for one in (caller(2, 2), caller(3, 1), caller(4, 1))
        )
        await asyncio.sleep(0)
        places.release(caller(1, 1))
        await asyncio.wait_for(of_store, 30)
        assert not of_user.done()
        with pytest.raises(OverloadedError):
            await of_user
        with pytest.raises(OverloadedError):
            await last
        places.release(caller(3, 1))
        await places.acquire(caller(4, 1))

    asyncio.run(run())


def test_who_does_not_read_lists_leaves_others_theirs(tmp_path: Path, url: str) -> None:
    with Service(tmp_path, database=url, settings={"max_streams": 4}) as own:
        fixture, other = make_fixture(own), make_fixture(own)
        for one in (fixture, other):
            fill_store(own, one.store, 5000, 250, FILLER)
        with ExitStack() as stack:
            stack.enter_context(in_flight_stream(fixture))
            for method in LISTS[:2]:
                refused = fixture.send(fixture.message(method))
                expect_error(refused, 50301, method=method.method)
            assert len(other.send(other.message(LISTS[0])).json) == 5000
        for _ in range(6):  # each gives its place back
            assert other.send(other.message(LISTS[1])).status == 200
