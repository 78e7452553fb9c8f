"""Fair queueing: a user's requests over its share of a round wait, without delaying others."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path

import pytest

from plantstore.core.model import Grant, Principal
from plantstore.core.settings import Settings
from plantstore.databases import open_database, open_session
from plantstore.http.app import App, Process
from plantstore.http.limits.fair_queue import CACHED, ROUTED, FairQueue
from plantstore.http.limits.lanes import Lane, Lanes
from plantstore.server.body import Body
from plantstore.server.messages import Request
from tests.administration import open_administration
from tests.databases import create_sqlite, execute

MANY = 50


pytestmark = pytest.mark.anyio


async def take(turns: FairQueue, user: str, name: str, order: list[str]) -> None:
    await turns.take(user, ROUTED)
    order.append(name)


async def take_all(users: str) -> list[str]:
    """The order of the turns, requested in the order of ``users``."""
    turns, order = FairQueue(), list[str]()
    names = [f"{user}{number}" for number, user in enumerate(users)]
    await asyncio.gather(*(take(turns, name[0], name, order) for name in names))
    return order


async def test_a_single_user_never_waits() -> None:
    turns = FairQueue()
    assert all(turns.try_take("a", ROUTED) for _ in range(MANY))


@pytest.mark.parametrize(("cost", "share"), [(ROUTED, 4), (CACHED, 24)])
async def test_each_of_several_users_has_a_share_of_each_round(cost: int, share: int) -> None:
    turns = FairQueue()
    for _ in range(3):
        turns.try_take("other", cost)
        assert sum(turns.try_take("a", cost) for _ in range(MANY)) == share
        await asyncio.sleep(0)
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    "group", [[(1, user) for user in range(MANY)], [f"{n}" for n in range(MANY)]]
)
async def test_users_of_a_store_and_networks_share_two_shares_of_a_round(
    group: list[Hashable],
) -> None:
    turns, order = FairQueue(), list[Hashable]()

    async def take(key: Hashable) -> None:
        await turns.take(key, ROUTED)
        order.append(key)

    turns.try_take((2, 1), ROUTED)
    waiting = asyncio.gather(*(take(key) for key in [*MANY * group[:1], *group]))
    for rounds in range(1, 6):
        await asyncio.sleep(0)
        assert len(order) <= 8 * rounds
        assert turns.try_take((2, 1), ROUTED)
    await waiting
    assert set(order[: MANY + 14]) == set(group)  # a flood delays nobody else in the group


async def test_a_flood_in_a_lane_delays_another_store_by_one_task() -> None:
    lane, order = Lane(FairQueue()), list[str]()

    async def work(store: str) -> None:
        await lane.enter(store)
        order.append(store)
        await asyncio.sleep(0)
        lane.leave()

    flood = [asyncio.create_task(work("flood")) for _ in range(4)]
    await asyncio.sleep(0)
    other = asyncio.create_task(work("other"))
    await asyncio.sleep(0)
    flood[1].cancel()
    await asyncio.gather(*flood, other, return_exceptions=True)
    assert order == ["flood", "other", "flood", "flood"]


async def test_a_few_anonymous_requests_delay_no_user() -> None:
    turns = FairQueue()
    for _ in range(3):
        await turns.take_of_network("10.0.0.1", ROUTED)
        assert all(turns.try_take("a", ROUTED) for _ in range(MANY))
        await asyncio.sleep(0)


async def test_a_cost_over_the_share_is_deducted_from_the_next_rounds() -> None:
    turns = FairQueue()
    turns.try_take("other", ROUTED)
    turns.try_take("a", 24 + 60)
    counts = []
    for _ in range(5):
        counts.append(sum(turns.try_take("a", ROUTED) for _ in range(MANY)))
        await asyncio.sleep(0)
    assert counts == [0, 0, 0, 2, 4]


async def test_requests_within_the_share_go_before_the_excess_of_others() -> None:
    order = await take_all("b" + MANY * "a" + "c" + MANY * "a" + "d")
    assert [name[0] for name in order[:7]] == ["b", "a", "a", "a", "a", "c", "d"]


async def test_every_request_gets_a_turn_in_the_order_of_its_user() -> None:
    order = await take_all(MANY * "ab")
    assert len(order) == 2 * MANY
    for user in "ab":
        numbers = [int(name[1:]) for name in order if name[0] == user]
        assert numbers == sorted(numbers)


async def test_turns_of_cancelled_requests_go_to_the_next_waiter() -> None:
    turns, order = FairQueue(), list[str]()
    await take(turns, "b", "first", [])
    tasks = [asyncio.ensure_future(take(turns, "a", str(number), order)) for number in range(20)]
    await asyncio.sleep(0)
    for task in tasks[4:19]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert order == ["0", "1", "2", "3", "19"]


async def test_a_user_of_many_stores_has_one_share() -> None:
    turns = FairQueue()
    for _ in range(3):
        turns.try_take((99, 2), ROUTED)
        assert sum(turns.try_take((store, 1), ROUTED) for store in range(MANY)) == 4
        assert turns.try_take((1, 2), ROUTED)
        await asyncio.sleep(0)
        await asyncio.sleep(0)


FLOOD, COLLEAGUE, OTHER = (1, 1), (1, 2), (2, 3)


@pytest.mark.parametrize(
    ("active", "of_store"), [([FLOOD], 10), ([FLOOD, COLLEAGUE], 2), ([FLOOD, OTHER], 1)]
)
async def test_among_others_a_user_or_store_runs_one_long_task_at_a_time(
    active: list[Principal], of_store: int
) -> None:
    turns = FairQueue()
    lanes, running, max_running = Lanes(turns), Counter[int](), Counter[int]()
    done: list[Principal] = []

    async def work(user: Principal) -> None:
        async with lanes.of(user):
            running[user[0]] += 1
            max_running[user[0]] = max(max_running[user[0]], running[user[0]])
            await asyncio.sleep(0.001)
            running[user[0]] -= 1
            done.append(user)

    for user in (*active, FLOOD):
        turns.try_take(user, ROUTED)
    await asyncio.gather(*map(work, [*9 * [FLOOD], COLLEAGUE, OTHER]))
    assert max_running == {1: of_store, 2: 1}
    assert COLLEAGUE in done[:4] or of_store == 10  # users of a store take turns


async def test_a_store_looks_for_the_end_of_one_long_list_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = create_sqlite(tmp_path)
    flood, other = make_tokens(url)
    plants = [(1, number, "Fern") for number in range(1001)]
    execute(url, "INSERT INTO plants (store_id, id, name) VALUES ($1, $2, $3)", plants)
    running = most = 0

    async def find_last_id(_snapshot: object, _query: object) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001)
        running -= 1

    monkeypatch.setattr("plantstore.sql.reading.SnapshotReads.find_last_id", find_last_id)
    async with application(url) as app:
        for token in (flood, other, flood):
            await app.handle(request(0, "GET", token, b"/me"))
        heads = [request(number, "HEAD", flood, b"/plants") for number in range(5)]
        await asyncio.gather(*map(app.handle, heads))
    assert most == 1


def make_tokens(url: str) -> tuple[str, str]:
    """A token of a user who floods the service, and one of another user."""
    with closing(open_administration(url)) as administration:
        flood = administration.create_token(Grant(subject="flood", store="flood"))
        other = administration.create_token(Grant(subject="other", store="other"))
    return flood.secret, other.secret


def request(number: int, method: str, token: str, path: bytes) -> Request:
    headers = {b"authorization": f"Bearer {token}".encode(), b"content-type": b"application/json"}
    body = b'{"id": %d, "name": "Fern"}' % number
    return Request(b"%d" % number, method, headers, path, body=body, address="10.0.0.1")


@asynccontextmanager
async def application(url: str) -> AsyncIterator[App]:
    settings = Settings(database=url)
    app = App(await open_database(settings), settings, partial(open_session, url), Process())
    yield app
    await app.close()


@pytest.mark.parametrize(
    ("method", "path", "is_known"),
    [
        ("GET", b"/plants", True),
        ("POST", b"/plants", True),
        ("DELETE", b"/plants/1", True),
        ("GET", b"/plants", False),
        ("GET", b"/livez", False),
        ("GET", b"/readyz", False),
        ("GET", b"/no/route", False),
    ],
)
async def test_a_flood_on_any_route_does_not_delay_another_user(
    tmp_path: Path, method: str, path: bytes, *, is_known: bool
) -> None:
    url = create_sqlite(tmp_path)
    flood, other = make_tokens(url)
    token = flood if is_known else "no token"
    order: list[int] = []
    async with application(url) as app:

        async def handle(number: int, token: str, method: str, path: bytes) -> None:
            await app.handle(request(number, method, token, path))
            order.append(number)

        await handle(-2, other, "GET", b"/plants")
        await handle(-1, token, "GET", b"/plants")
        flooding = [handle(number, token, method, path) for number in range(MANY)]
        await asyncio.gather(*flooding, handle(MANY, other, "GET", b"/plants"))
    assert order.index(MANY) < MANY // 2


@pytest.mark.parametrize(
    ("path", "query", "body", "costs_more"),
    [
        (b"/plants", b"", 32_000 * b"x", True),
        (b"/plants", b"limit=many", b"", True),
        (b"/no/route", b"", b"", True),
        (b"/livez", b"", 32_000 * b"x", True),
        (b"/plants", b"", b"", False),
    ],
    ids=["large body", "refused", "no route", "no token", "small"],
)
async def test_large_bodies_and_refused_requests_cost_more_turns(
    tmp_path: Path, path: bytes, query: bytes, body: bytes, *, costs_more: bool
) -> None:
    url = create_sqlite(tmp_path)
    flood, other = make_tokens(url)
    order: list[str] = []
    async with application(url) as app:

        async def flooding() -> None:
            sent = request(0, "GET", flood, path)
            sent.query, sent.body = query, body
            await app.handle(sent)
            order.append("flood")

        async def list_plants(count: int) -> None:
            for _ in range(count):
                await app.handle(request(0, "GET", other, b"/plants"))
                order.append("other")

        await list_plants(1)
        await asyncio.gather(*(flooding() for _ in range(MANY)), list_plants(20))
    last = max(number for number, name in enumerate(order) if name == "other")
    assert (order[:last].count("flood") < 15) == costs_more


@pytest.mark.parametrize(
    ("query", "form", "costs"),
    [(b"", b"*/*", [50]), (b"limit=40", b"*/*", [2]), (b"", b"text/csv", [50, 24, 24])],
)
async def test_a_lists_cost_is_paid_before_its_plants_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: bytes, form: bytes, costs: list[int]
) -> None:
    url = create_sqlite(tmp_path)
    token, _ = make_tokens(url)
    paid: list[int] = []

    async def take(_: object, cost: int) -> None:
        paid.append(cost)

    async with application(url) as app:
        for number in range(MANY):
            await app.handle(request(number, "POST", token, b"/plants"))
        monkeypatch.setattr(app.turns, "take", take)
        listing = request(0, "GET", token, b"/plants")
        listing.query, listing.headers = query, {**listing.headers, b"accept": form}
        assert (await app.handle(listing)).status == 200
    assert paid == costs


async def test_a_long_head_that_was_parsed_costs_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = create_sqlite(tmp_path)
    token, _ = make_tokens(url)
    costs: list[int] = []

    def try_take(_: object, cost: int) -> bool:
        costs.append(cost)
        return True

    async with application(url) as app:
        monkeypatch.setattr(app.turns, "try_take", try_take)
        for method, path in (("GET", b"/plants/1"), ("POST", b"/plants"), ("GET", b"/me")):
            for parsed in (0, 8192):
                sent = request(0, method, token, path)
                sent.parsed = parsed
                await app.handle(sent)
    assert costs == 3 * [6, 134]


@pytest.mark.parametrize("size", [1000, 60_000])
async def test_a_long_body_takes_its_turn_before_it_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    url = create_sqlite(tmp_path)
    token, _ = make_tokens(url)
    events: list[int | str] = []

    async def take(_: object, cost: int) -> None:
        events.append(cost)

    async with application(url) as app:
        monkeypatch.setattr(app.turns, "take", take)
        monkeypatch.setattr(
            "plantstore.http.plants.decode_new_plant", lambda _: events.append("decoded")
        )
        create = request(0, "POST", token, b"/plants")
        create.body = Body.of(size * b" ")
        await app.handle(create)
    assert events == [size // 512, "decoded"]


async def test_a_user_is_not_delayed_by_the_turns_of_their_address(tmp_path: Path) -> None:
    url = create_sqlite(tmp_path)
    token, _ = make_tokens(url)
    async with application(url) as app:
        for number, path in enumerate((b"/plants", b"/me", b"/plants")):
            await app.handle(request(number, "GET", token, path))
        creates = [app.handle(request(number, "POST", token, b"/plants")) for number in range(MANY)]
        handling = [asyncio.ensure_future(create) for create in creates]
        await asyncio.sleep(0)
        assert app.database.gauges()["write_queue_depth",] == MANY
        await asyncio.gather(*handling)
