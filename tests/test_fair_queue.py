"""Fair queueing: work over a share of a round waits, without delaying others."""

import asyncio
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from types import SimpleNamespace

import pytest

from plantstore.core import fair_queue
from plantstore.core.fair_queue import (
    CACHED,
    CONNECTED,
    ITERATIONS,
    NETWORKS,
    ROUTED,
    FairQueue,
    Key,
)
from plantstore.core.pools import network_of

pytestmark = pytest.mark.anyio

MANY = 50
SIZE = 32  # of a round
FLOOD, COLLEAGUE, OTHER, THIRD = (1, 1), (1, 2), (2, 3), (3, 4)


class Clock:
    """A clock that a test sets, since rounds end by time, too."""

    now = 0.0

    def read(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(fair_queue, "time", SimpleNamespace(perf_counter=clock.read))
    return clock


def make_queue(*active: Key) -> FairQueue:
    """A queue in which these and another user were active."""
    turns = FairQueue()
    for key in ((9, 9), *active):
        turns.try_take(key, 0)
    return turns


def count_turns(turns: FairQueue, key: Key, cost: int = ROUTED) -> int:
    """The number of turns that a flood takes now."""
    return sum(turns.try_take(key, cost) for _ in range(MANY))


def goes_on(turns: FairQueue, key: Key, cost: int) -> bool:
    """Whether a request goes on without waiting."""
    taking = turns.take(key, cost)
    try:
        taking.send(None)
    except StopIteration:
        return True
    taking.close()
    return False


async def wait_for_round() -> None:
    """New requests come first, and then those that wait."""
    for _ in range(ITERATIONS):
        await asyncio.sleep(0)


async def take_all(keys: Sequence[Key]) -> tuple[list[tuple[Key, int]], list[int]]:
    """Who got turns, with the number of the request; and how many were over after each round."""
    turns, order = make_queue(), list[tuple[Key, int]]()

    async def take(key: Key, number: int) -> None:
        if not turns.try_take(key, ROUTED):
            await turns.wait(key, ROUTED)
        order.append((key, number))

    waiting = asyncio.gather(*(take(key, number) for number, key in enumerate(keys)))
    counts = [0]
    while not waiting.done():
        await asyncio.sleep(0)
        counts.append(len(order))
    return order, counts


async def test_a_single_user_waits_only_beyond_64_rounds() -> None:
    turns = FairQueue()
    turns.try_take(FLOOD, 0)
    for _ in range(3):
        assert sum(turns.try_take(FLOOD, 1) for _ in range(80 * SIZE)) == 64 * SIZE - 1
        await asyncio.sleep(0)


async def test_a_single_users_long_work_leaves_the_loop_to_others_after_each_piece() -> None:
    turns, order = FairQueue(), list[str]()
    assert turns.try_take(FLOOD, ROUTED)

    async def work(name: str, cost: int) -> None:
        await turns.take(FLOOD, cost)
        order.append(name)

    long = asyncio.gather(work("first", SIZE + 1), work("second", SIZE + 1))
    await asyncio.sleep(0)
    await work("short", SIZE)
    assert order[0] == "short"
    await long


@pytest.mark.parametrize("cost", [ROUTED, CACHED])
async def test_a_flood_of_which_some_waits_leaves_room_for_others(cost: int) -> None:
    turns = make_queue()
    for _ in range(3):
        turns.put((FLOOD[0], "a third user"), SIZE, lambda: False)
        assert 0 < count_turns(turns, FLOOD, cost) * cost < SIZE / 3 + cost
        assert turns.try_take(COLLEAGUE, cost)
        assert turns.try_take(OTHER, cost)
        assert turns.try_take(THIRD, cost)
        await wait_for_round()
        await wait_for_round()


async def test_a_store_takes_three_shares_however_many_users_it_has() -> None:
    turns = make_queue()
    assert sum(turns.try_take((1, user), CACHED) for user in range(MANY)) == 3 * SIZE // 2
    assert turns.try_take(OTHER, ROUTED)


async def test_a_flood_in_a_users_name_in_another_store_takes_nothing_of_the_users_share() -> None:
    """A store's owner can make tokens for any user."""
    turns, user = FairQueue(), OTHER[1]
    turns.try_take(OTHER, 0)
    for _ in range(3):
        assert count_turns(turns, (FLOOD[0], user)) == 8
        assert turns.try_take(OTHER, SIZE // 2)
        await wait_for_round()


async def test_floods_of_many_stores_do_not_make_a_round_longer() -> None:
    order, counts = await take_all([(store, store) for store in range(MANY)] * 3)
    assert len(order) == 3 * MANY
    assert max(after - before for before, after in pairwise(counts)) <= 1 + 2 * SIZE // ROUTED


async def test_requests_within_the_share_go_before_the_excess_of_others() -> None:
    order, _ = await take_all([*MANY * [FLOOD], OTHER, *MANY * [FLOOD], THIRD])
    assert [key for key, _ in order[:10]] == [*8 * [FLOOD], OTHER, THIRD]


@pytest.mark.parametrize("store", [1, NETWORKS])
async def test_users_of_a_store_and_networks_take_turns(store: int | str) -> None:
    group: list[Key] = [(store, user) for user in range(MANY)]
    order, _ = await take_all([*MANY * group[:1], *group])
    assert {key for key, _ in order[: MANY + 14]} == set(group)  # the flood delays no other


async def test_stores_with_many_users_do_not_delay_another_store() -> None:
    floods = [(store, MANY * store + user) for store in range(10, 14) for user in range(MANY)]
    order, _ = await take_all([*floods, THIRD])
    assert THIRD in [key for key, _ in order[:16]]


async def test_every_request_gets_a_turn_in_the_order_of_its_user() -> None:
    order, _ = await take_all(MANY * [FLOOD, OTHER])
    assert len(order) == 2 * MANY
    for user in (FLOOD, OTHER):
        numbers = [number for key, number in order if key == user]
        assert numbers == sorted(numbers)


async def test_turns_of_cancelled_requests_go_to_the_next_waiter() -> None:
    turns, order = make_queue(), list[int]()

    async def take(number: int) -> None:
        await turns.take(FLOOD, ROUTED)
        order.append(number)

    tasks = [asyncio.ensure_future(take(number)) for number in range(20)]
    await asyncio.sleep(0)
    for task in tasks[10:19]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert order == [*range(10), 19]


async def test_a_few_anonymous_requests_do_not_make_a_single_user_wait() -> None:
    turns = FairQueue()
    for _ in range(3):
        assert turns.try_take(network_of("10.0.0.1"), ROUTED)
        assert count_turns(turns, FLOOD) == MANY
        await asyncio.sleep(0)


async def test_a_cost_over_the_share_is_deducted_from_the_next_rounds() -> None:
    turns, counts = make_queue(), []
    turns.try_take(FLOOD, SIZE // 2 + 62)
    for _ in range(3):
        await asyncio.sleep(0)
        counts.append(count_turns(turns, FLOOD))
        assert turns.try_take(OTHER, CACHED)
    assert counts == [0, 1, 2]


async def test_work_without_a_cost_needs_no_turn() -> None:
    turns = make_queue()
    turns.try_take(FLOOD, SIZE)
    await asyncio.wait_for(turns.take(FLOOD, 0), 1)


async def test_two_connections_of_a_network_are_opened_in_a_round() -> None:
    turns, order = FairQueue(), list[str]()

    def work(name: str) -> bool:
        order.append(name)
        return name != "gone"

    for name in ("first", "gone", "second", "third", "fourth"):
        turns.put((NETWORKS, "flood"), CONNECTED, partial(work, name))
    turns.put((NETWORKS, "other"), CONNECTED, partial(work, "other"))
    await wait_for_round()
    assert order == ["first", "other"]
    await wait_for_round()
    assert order[2:] == ["gone", "second", "third"]  # a client that is gone uses no turn
    await wait_for_round()
    assert order[5:] == ["fourth"]
    assert not turns.waiting


async def test_removed_work_leaves_nothing_behind() -> None:
    turns, work = FairQueue(), partial(bool, 1)
    key = NETWORKS, "network"
    turns.put(key, CONNECTED, work)
    turns.remove(key, CONNECTED, work)
    assert not turns.waiting


async def test_others_have_a_round_between_two_handshakes() -> None:
    turns = FairQueue()
    turns.charge((NETWORKS, "flood"), 100)
    for _ in range(2):
        await asyncio.sleep(0)
        assert not turns.try_take((NETWORKS, "flood"), CONNECTED)
        assert turns.try_take(OTHER, ROUTED)
    for _ in range(5):  # a debt is also paid while nobody does anything
        await asyncio.sleep(0)
    assert turns.try_take((NETWORKS, "flood"), CONNECTED)


async def test_slow_work_ends_a_round_and_nobody_overtakes_their_own_work(clock: Clock) -> None:
    turns, order = FairQueue(), list[str]()

    def work(name: str) -> bool:
        clock.now += 0.001
        order.append(name)
        return True

    for name in ("first", "second"):
        turns.put((NETWORKS, name), CACHED, partial(work, name))
    await wait_for_round()
    assert order == ["first"]
    assert not turns.try_take((NETWORKS, "second"), CACHED)
    assert turns.try_take((NETWORKS, "third"), CACHED)


async def test_new_requests_have_a_round_and_a_half_before_those_that_wait() -> None:
    turns = make_queue(FLOOD)
    waiting = turns.wait(FLOOD, SIZE)
    await asyncio.sleep(0)
    assert [turns.try_take((n, n), ROUTED) for n in range(2, 11)] == [*8 * [True], False]
    for _ in range(ITERATIONS - 1):  # in which other requests go on
        assert not waiting.done()
        await asyncio.sleep(0)
    assert waiting.done()


async def test_slow_iterations_end_a_round_early(clock: Clock) -> None:
    """Each may execute a batch of writes and send its responses."""
    turns = make_queue(FLOOD)
    waiting = turns.wait(FLOOD, SIZE)
    for _ in range(3):
        assert not waiting.done()
        clock.now += 0.0004
        await asyncio.sleep(0)
    assert waiting.done()


async def test_a_request_goes_on_while_its_store_took_less_than_its_share() -> None:
    turns = make_queue()
    turns.wait(COLLEAGUE, ROUTED)
    assert count_turns(turns, FLOOD) == 2
    assert goes_on(turns, FLOOD, SIZE // 2)  # it could not begin
    assert not goes_on(turns, FLOOD, 1)
    assert goes_on(turns, OTHER, SIZE // 2)  # nothing is free now
    assert goes_on(turns, THIRD, SIZE)  # a round takes up to as much again
    assert not goes_on(turns, (5, 5), 1)


async def test_a_store_of_which_nothing_waits_has_three_shares() -> None:
    turns = make_queue()
    assert count_turns(turns, COLLEAGUE) * ROUTED == 3 * SIZE // 2
    turns.wait(COLLEAGUE, ROUTED)
    assert not turns.try_take(FLOOD, CACHED)
    assert turns.try_take(OTHER, ROUTED)


async def test_time_is_charged_to_networks_and_to_users_who_are_not_alone() -> None:
    turns = FairQueue()
    turns.try_take(FLOOD, 0)
    turns.charge_time(FLOOD, 0.0009)
    turns.charge_time(network_of("10.0.0.1"), 0.0009)
    turns.try_take(OTHER, 0)  # now two are active
    assert turns.try_take(FLOOD, 0)
    assert not turns.try_take(network_of("10.0.0.1"), 0)
    turns.charge_time(FLOOD, 0.0009)
    assert not turns.try_take(FLOOD, 0)


async def test_failing_work_does_not_stop_the_queue() -> None:
    turns, order = FairQueue(), list[int]()

    def work(number: int) -> bool:
        order.append(1 // number)
        return True

    asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)
    for number in (0, 1):
        turns.put((NETWORKS, "network"), CONNECTED, partial(work, number))
    for _ in range(2):
        await wait_for_round()
    assert order == [1]


async def test_work_is_charged_before_it_can_take_more_turns() -> None:
    turns = make_queue(FLOOD)
    took = list[bool]()

    def take_more() -> bool:
        took.append(turns.try_take(FLOOD, SIZE))
        return True

    turns.put(FLOOD, 2 * SIZE, take_more)
    await wait_for_round()
    assert took == [False]
