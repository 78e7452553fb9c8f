"""Shared pools: a holder may take another unit while it holds less than is free."""

import asyncio
from functools import partial

import pytest

from plantstore.core.errors import OverloadedError
from plantstore.core.fair_queue import NETWORKS
from plantstore.core.pools import EvictingPool, Pool, Pools, network_of
from plantstore.core.settings import Settings

pytestmark = pytest.mark.anyio


class Holder(str):
    """A holder that counts how often it is compared, other than by its hash."""

    __slots__ = ()
    __hash__ = str.__hash__
    compared = 0

    def __eq__(self, other: object) -> bool:
        Holder.compared += 1
        return str.__eq__(self, other)


def take_all(pool: Pool, holder: str) -> int:
    """How many units the holder gets until the pool refuses."""
    count = 0
    while pool.try_acquire(holder):
        count += 1
    return count


async def test_a_holder_may_take_half_of_what_others_leave() -> None:
    pool = Pool("slots", 60)
    assert take_all(pool, "first") == 30
    assert take_all(pool, "second") == 15
    assert pool.has_room("newcomer")
    pool.release("first", 30)
    assert take_all(pool, "second") == 15  # 30 in all


async def test_all_networks_together_have_the_share_of_a_store(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pool = Pool("networked", 60)
    counts = []
    for network in ("10.0.0.1", "10.0.0.2", "10.0.0.3"):
        before = pool.used
        while pool.has_room(network_of(network)):
            pool.add(network_of(network))
        counts.append(pool.used - before)
    assert counts == [20, 10, 0]
    assert pool.has_room("newcomer")
    assert pool.refused_at < 0  # it is not full
    assert "the pool networked is full: networks holds most, 30 of 60" in caplog.text


async def test_a_full_pool_logs_its_largest_holder(caplog: pytest.LogCaptureFixture) -> None:
    pool = Pool("slots", 3)
    holders = ("first", "second", "second", "third")
    assert [pool.try_acquire(holder) for holder in holders] == [True, True, False, True]
    pool.add("first", 1)
    assert not pool.try_acquire("newcomer")
    assert pool.refused_at > 0
    assert "the pool slots is full: first holds most, 2 of 3" in caplog.text


async def test_a_freed_unit_goes_to_the_first_waiter_within_its_share() -> None:
    pool = Pool("slots", 4)
    for _ in range(2):
        await pool.wait_and_acquire("greedy")
    await pool.wait_and_acquire("other")
    more, first = (
        asyncio.ensure_future(pool.wait_and_acquire(holder)) for holder in ("greedy", "newcomer")
    )
    pool.add("another", 1)
    await asyncio.sleep(0)
    pool.release("another")
    await asyncio.wait_for(first, 30)
    with pytest.raises(OverloadedError):
        await more


async def test_the_oldest_units_of_a_greedy_holder_are_evicted() -> None:
    pool, evicted = EvictingPool("bodies", 4), list[int]()
    for number in range(5):
        pool.put(number, "greedy", partial(evicted.append, number))
    assert evicted == [0, 1, 2]
    pool.put("one", "other", lambda: evicted.append(-1))
    pool.remove(0)  # it was evicted
    for unit in (3, 4, "one"):
        pool.remove(unit)
    assert (pool.used, evicted) == (0, [0, 1, 2])


async def test_a_crowd_of_networks_evicts_its_own_oldest_units(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pool, evicted = EvictingPool("crowded", 12), list[int]()
    for number in (-1, -2):
        pool.put(number, "store", partial(evicted.append, number))
    for number in range(20):
        pool.put(number, network_of(f"10.0.0.{number}"), partial(evicted.append, number))
    assert evicted == list(range(15))
    assert "the pool crowded is full: networks holds most, 5 of 12" in caplog.text


async def test_a_large_network_gives_way_to_networks_with_few_units() -> None:
    pool, evicted = EvictingPool("slots", 24), list[object]()
    few, newcomer, *large = (network_of(f"10.0.0.{number}") for number in range(5))
    for network in (few, *4 * large[:2], *3 * large[2:], newcomer, newcomer):
        assert pool.can_make_room(network)
        pool.put(object(), network, partial(evicted.append, network))
    assert evicted == large[:2]
    assert not pool.can_make_room(large[0])
    assert not pool.can_make_room(newcomer)  # it has half of what a large network has


async def test_new_clients_of_a_network_share_with_those_of_its_last_tokens_store() -> None:
    pools, network = Pools(Settings()), network_of("10.0.0.1")
    assert pools.find_group(network) == NETWORKS
    for store in (1, 2):
        pools.note_store(network, store)
        assert pools.find_group(network) == (NETWORKS, store)
    assert pools.known_networks.used == 1
    for number in range(5000):  # a store forgets its own networks, not those of others
        pools.note_store(network_of(f"10.1.{number // 250}.{number % 250}"), 3)
    assert pools.find_group(network) == (NETWORKS, 2)
    assert pools.find_group(network_of("10.1.0.1")) == NETWORKS


async def test_no_unit_takes_time_for_those_of_others() -> None:
    pool = EvictingPool("bodies", 200)
    for number in range(90):
        pool.put(number, network_of(f"10.0.0.{number}"), lambda: None)
    for number in range(90, 200):
        pool.put(number, Holder("greedy"), lambda: None)
    Holder.compared = 0
    pool.put(200, Holder("greedy"), lambda: None)
    assert Holder.compared < 20


async def test_a_freed_unit_is_offered_once_to_each_holder(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, offered = Pool("slots", 8), list[str]()
    for _ in range(4):
        assert pool.try_acquire("greedy")
    waiting = [asyncio.ensure_future(pool.wait_and_acquire("greedy")) for _ in range(20)]
    pool.add("other", 2)
    await asyncio.sleep(0)
    monkeypatch.setattr(pool, "try_acquire", offered.append)
    pool.release("other")
    assert offered == ["greedy"]
    for waiter in waiting:
        waiter.cancel()


def test_ipv6_addresses_of_one_network_are_one_holder() -> None:
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff") != network_of("2001:db9::1")
    assert network_of("192.0.2.1") != network_of("192.0.2.2")


async def test_a_cancelled_waiter_takes_no_unit() -> None:
    pool = Pool("slots", 3)
    pool.add("other", 3)
    names = ("leaves early", "leaves late", "stays")
    early, late, stays = (asyncio.ensure_future(pool.wait_and_acquire(name)) for name in names)
    await asyncio.sleep(0)
    early.cancel()
    await asyncio.sleep(0)
    pool.release("other")  # gives the unit to the second waiter, which is cancelled now
    late.cancel()
    await asyncio.wait_for(stays, 30)
    assert pool.used == 3
    pool.release("stays")
    assert pool.used == 2
