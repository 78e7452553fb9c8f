"""Fair queueing: a user's requests over its share of a round wait, without delaying others."""

import asyncio
import gc
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from plantstore.core.fair_queue import REFUSED, ROUTED, FairQueue, Key
from plantstore.core.model import Grant, Principal
from plantstore.core.pools import Pool
from plantstore.core.settings import Settings
from plantstore.databases import open_database, open_session
from plantstore.http.app import App
from plantstore.http.lanes import Lane, Lanes
from plantstore.server.body import Body, ClientGoneError
from plantstore.server.messages import Request, Response
from tests.administration import open_administration
from tests.databases import create_sqlite, execute

MANY = 50


pytestmark = pytest.mark.anyio


async def test_a_flood_in_a_lane_delays_another_store_by_one_task() -> None:
    lane, order = Lane(FairQueue()), list[str]()

    async def work(store: str) -> None:
        async with lane.of(store):
            order.append(store)
            await asyncio.sleep(0)

    flood = [asyncio.create_task(work("flood")) for _ in range(4)]
    await asyncio.sleep(0)
    other = asyncio.create_task(work("other"))
    await asyncio.sleep(0)
    flood[1].cancel()
    await asyncio.gather(*flood, other, return_exceptions=True)
    assert order == ["flood", "other", "flood", "flood"]


async def test_a_lane_is_next_for_who_used_it_least() -> None:
    lane, order = Lane(FairQueue()), list[str]()

    async def work(store: str, seconds: float) -> None:
        for _ in range(3):
            async with lane.of(store):
                order.append(store)
                await asyncio.sleep(seconds)

    await asyncio.gather(work("long", 0.1), work("short", 0.001))
    assert order == ["long", *3 * ["short"], "long", "long"]


@pytest.mark.parametrize(
    ("processes", "seconds", "credit", "pauses"),
    [
        (1, None, 0.0, False),
        (2, None, 0.0, True),
        (2, 0.0, 0.0, False),  # all of the time it waited for others' work
        (2, 0.2, 0.5, False),
        (2, 0.4, 0.5, True),
    ],
)
async def test_lanes_of_several_processes_pause_even_for_a_single_user(
    processes: int, seconds: float | None, credit: float, *, pauses: bool
) -> None:
    """But not until the credit of a rest is spent."""
    lane = Lane(FairQueue(), processes, credit=credit)
    async with lane.of("store", None if seconds is None else lambda: seconds):
        await asyncio.sleep(0.1)
    entering = asyncio.create_task(lane.of("store").__aenter__())
    for _ in range(5):
        await asyncio.sleep(0)
    assert entering.done() != pauses
    await entering


async def test_lanes_that_share_the_time_pause_for_each_other() -> None:
    busy = {Lane(FairQueue()), Lane(FairQueue())}
    loop, lane = asyncio.get_running_loop(), Lane(FairQueue(), 2, 1 / 2, busy=busy)
    async with lane.of("store", lambda: 0.02):
        began = loop.time()
    async with lane.of("store"):
        assert loop.time() - began > 0.2  # 11 times 0.02


async def test_a_lane_whose_credit_is_not_whole_stays_even_if_nothing_uses_it() -> None:
    lanes = Lanes(turns := FairQueue())
    for key in (FLOOD, OTHER):
        turns.try_take(key, 0)
    async with lanes.enter(FLOOD, is_long=False):
        await asyncio.sleep(0.05)
    for _ in range(5):
        await asyncio.sleep(0)
    gc.collect()
    assert list(lanes._lanes)  # noqa: SLF001 - it refers to lanes weakly, as the test does


FLOOD, COLLEAGUE, OTHER = (1, 1), (1, 2), (2, 3)


@pytest.mark.parametrize(("other", "sharing"), [(COLLEAGUE, 1), (OTHER, 2)])
async def test_lanes_of_stores_share_the_time_those_of_a_stores_users_do_not(
    monkeypatch: pytest.MonkeyPatch, other: Key, sharing: int
) -> None:
    made = list[set[Lane] | None]()

    def make_lane(turns: FairQueue, *, credit: float, busy: set[Lane] | None) -> Lane:
        made.append(busy)
        return Lane(turns, credit=credit, busy=busy)

    monkeypatch.setattr("plantstore.http.lanes.Lane", make_lane)
    turns = FairQueue()
    for key in (FLOOD, other):
        turns.try_take(key, 0)
    lanes = Lanes(turns)
    async with (
        lanes.enter(FLOOD, is_long=False),
        lanes.enter(other, is_long=False),
    ):
        assert [1 if busy is None else len(busy) for busy in made] == 2 * [sharing]


async def test_a_lane_made_while_its_store_was_alone_shares_the_time_with_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = list[set[Lane]]()

    def make_lane(turns: FairQueue, *, credit: float, busy: set[Lane]) -> Lane:
        made.append(busy)
        return Lane(turns, credit=credit, busy=busy)

    monkeypatch.setattr("plantstore.http.lanes.Lane", make_lane)
    lanes = Lanes(turns := FairQueue())
    turns.try_take(FLOOD, 0)
    async with lanes.enter(FLOOD, is_long=True):
        turns.try_take(OTHER, 0)
        async with lanes.enter(OTHER, is_long=True):
            assert made[0] is made[1]


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
        async with lanes.of(Request(b"", "GET", {}, turns_of=user)):
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


@pytest.mark.parametrize("active", [[FLOOD], [FLOOD, OTHER]])
async def test_no_read_begins_for_a_client_that_went_while_it_waited_for_its_lane(
    active: list[Principal],
) -> None:
    lanes = Lanes(turns := FairQueue())
    for user in active:
        turns.try_take(user, ROUTED)
    gone = Request(b"", "GET", {}, turns_of=FLOOD, is_there=lambda: False)
    with pytest.raises(ClientGoneError):
        async with lanes.of(gone):
            pytest.fail("it has begun")


@pytest.mark.parametrize("is_alone", [False, True])
async def test_a_store_looks_for_the_end_of_one_long_list_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_alone: bool
) -> None:
    """Even if nobody else uses this service: others may use the database by another one."""
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
        for token in (flood,) if is_alone else (flood, other, flood):
            await app.handle(request(0, "GET", token, b"/me"))
        heads = [request(number, "HEAD", flood, b"/plants") for number in range(5)]
        await asyncio.gather(*map(app.handle, heads))
    assert most == 1


async def test_a_thread_reads_a_long_page_while_several_users_are_active(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plantstore.sqlite.database._BRIEF_SECONDS", -1.0)
    url = create_sqlite(tmp_path)
    token, other = make_tokens(url)
    loop, reads, bodies = asyncio.get_running_loop(), list[object](), set[bytes]()
    run = loop.run_in_executor

    def note(threads: Executor, read: Callable[[], object]) -> asyncio.Future[object]:
        reads.append(read)
        return run(threads, read)

    monkeypatch.setattr(loop, "run_in_executor", note)
    async with application(url) as app:
        for number in range(99):
            await app.handle(request(number, "POST", token, b"/plants"))
        for query, count in ((b"", 0), (b"limit=1000", 1)):
            listing = request(0, "GET", token, b"/plants")
            listing.query = query
            response = await app.handle(listing)
            assert isinstance(response, Response)
            bodies.add(response.body)
            assert len(reads) == count
            await app.handle(request(0, "GET", other, b"/me"))
    assert len(bodies) == 1
    assert bodies.pop().count(b"Fern") == 99


@pytest.mark.parametrize(("max_text", "query"), [(2**17, b""), (2**17, b"limit=9"), (100, b"")])
async def test_a_list_is_not_read_if_its_client_has_gone_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, max_text: int, query: bytes
) -> None:
    monkeypatch.setattr("plantstore.sqlite.database.MAX_TEXT", max_text)
    url = create_sqlite(tmp_path)
    token, _ = make_tokens(url)
    async with application(url) as app:
        for number in range(20):
            await app.handle(request(number, "POST", token, b"/plants"))
        listing = request(0, "GET", token, b"/plants")
        listing.query = query
        if max_text > 100:  # it is not a long list
            listing.is_there = lambda: False
        else:
            acquire = Pool.wait_and_acquire

            async def acquire_late(pool: Pool, holder: object) -> None:
                await acquire(pool, holder)
                listing.is_there = lambda: False

            monkeypatch.setattr(Pool, "wait_and_acquire", acquire_late)
            monkeypatch.delattr("plantstore.sqlite.database.SQLiteDatabase.open_snapshot")
        with pytest.raises(ClientGoneError):
            await app.handle(listing)
        assert not app.pools.streams.used


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
async def application(url: str, workers: int = 1) -> AsyncIterator[App]:
    settings = Settings(database=url, workers=workers)
    app = App(await open_database(settings), settings, partial(open_session, url))
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


@pytest.mark.parametrize("is_known", [True, False])
async def test_nothing_is_done_for_a_request_before_its_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_known: bool
) -> None:
    """Not even to refuse a path: an iteration of the loop may bring hundreds of requests."""
    url = create_sqlite(tmp_path)
    flood, other = make_tokens(url)
    async with application(url) as app:
        for token in (flood, other):
            await app.handle(request(0, "GET", token, b"/plants"))
        find, found = app.routes.find, Counter[bytes]()

        def find_and_count(path: bytes) -> Any:  # noqa: ANN401 - what it found
            found[path] += 1
            return find(path)

        monkeypatch.setattr(app.routes, "find", find_and_count)
        token = flood if is_known else "no token"
        sent = [request(number, "GET", token, b"/no/route") for number in range(MANY)]
        flooding = [asyncio.ensure_future(app.handle(each)) for each in sent]
        await asyncio.sleep(0)
        first = found.total()
        await asyncio.gather(*flooding)
    assert first < 10
    assert found.total() == MANY


async def test_a_refusal_costs_more_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = create_sqlite(tmp_path)
    token, other = make_tokens(url)
    costs: list[int] = []
    async with application(url) as app:
        for each in (other, token):
            await app.handle(request(0, "GET", each, b"/plants"))
        monkeypatch.setattr(app.turns, "charge", lambda _, cost: costs.append(cost))
        for path in (b"/plants/1", b"/stores/other/plants", b"/no/route"):
            await app.handle(request(0, "GET", token, path))
    # Only a look-up shows that the token has no access to the other store.
    assert costs == [ROUTED, REFUSED, ROUTED, REFUSED, ROUTED, REFUSED]


@pytest.mark.parametrize(("path", "costs_more"), [(b"/no/route", True), (b"/plants", False)])
async def test_refusals_cost_more_turns(tmp_path: Path, path: bytes, *, costs_more: bool) -> None:
    url = create_sqlite(tmp_path)
    flood, other = make_tokens(url)
    order: list[str] = []
    async with application(url) as app:

        async def flooding() -> None:
            await app.handle(request(0, "GET", flood, path))
            order.append("flood")

        async def list_plants(count: int) -> None:
            for _ in range(count):
                await app.handle(request(0, "GET", other, b"/plants"))
                order.append("other")

        await list_plants(1)
        await asyncio.gather(*(flooding() for _ in range(MANY)), list_plants(20))
    last = max(number for number, name in enumerate(order) if name == "other")
    assert (order[:last].count("flood") < 7) == costs_more


@pytest.mark.parametrize(("form", "costs"), [(b"*/*", [6]), (b"text/csv", [6, *5 * [2]])])
async def test_a_lists_plants_are_read_and_converted_in_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: bytes, costs: list[int]
) -> None:
    url = create_sqlite(tmp_path)
    token, _ = make_tokens(url)
    paid: list[int] = []
    times: list[float] = []

    async def take(_: object, cost: int) -> None:
        paid.append(cost)

    async with application(url) as app:
        for number in range(MANY):
            await app.handle(request(number, "POST", token, b"/plants"))
        monkeypatch.setattr(app.turns, "take", take)
        monkeypatch.setattr(app.turns, "charge_time", lambda _, seconds: times.append(seconds))
        listing = request(0, "GET", token, b"/plants")
        listing.headers = {**listing.headers, b"accept": form}
        assert (await app.handle(listing)).status == 200
    assert paid == costs
    assert list(map(bool, times)) == [True for _ in costs[1:]]


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


@pytest.mark.parametrize("path", [b"/plants", b"/plants/1"])
async def test_a_body_of_many_values_takes_its_turn_before_it_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: bytes
) -> None:
    url = create_sqlite(tmp_path)
    token, _ = make_tokens(url)
    costs = list[int]()

    async def take(_: object, cost: int) -> None:
        costs.append(cost)

    async with application(url) as app:
        monkeypatch.setattr(app.turns, "take", take)
        write = request(0, "POST" if path == b"/plants" else "PUT", token, path)
        write.body = b"[%b1]" % (4900 * b"1,")
        await app.handle(write)
    assert costs == [4900 // 64]


async def test_a_long_token_is_looked_for_in_linear_time(tmp_path: Path) -> None:
    """In quadratic time, this takes over an hour, and 0.5 s even for a head of 8 KiB."""
    async with application(create_sqlite(tmp_path)) as app:
        assert app.authentication.find_user(b"\r\nAuthorization:" + 10**6 * b" ") is None


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


async def test_many_stores_of_a_token_are_described_in_several_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, costs = create_sqlite(tmp_path), list[int]()
    with closing(open_administration(url)) as administration:
        for number in range(40):
            grant = Grant(subject="ada", store=f"store-{number}", all_stores=True)
            token = administration.create_token(grant).secret

    async def take(_: object, cost: int) -> None:
        costs.append(cost)

    async with application(url) as app:
        monkeypatch.setattr(app.turns, "take", take)
        await app.handle(request(0, "GET", token, b"/me"))
    assert costs == [ROUTED, 16, 16]


@pytest.mark.parametrize(
    ("method", "path"), [("GET", b"/plants"), ("POST", b"/plants"), ("GET", b"/me")]
)
@pytest.mark.parametrize("is_known", [True, False])
async def test_a_token_that_is_revoked_during_the_wait_is_refused(
    tmp_path: Path, method: str, path: bytes, *, is_known: bool
) -> None:
    url = create_sqlite(tmp_path)
    token, other = make_tokens(url)
    async with application(url) as app:
        for user in [other, token][: 1 + is_known]:
            await app.handle(request(0, method, user, path))
        for number in range(4):
            app.turns.charge((number, number), 100)  # no user has a turn in the next round
        waiting = asyncio.ensure_future(app.handle(request(1, method, token, path)))
        await asyncio.sleep(0)
        assert app.turns.waiting
        execute(url, "UPDATE tokens SET revoked_at = 1")
        assert (await waiting).status == 401


async def test_a_request_whose_token_is_evicted_is_in_flight_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = create_sqlite(tmp_path)
    token, _ = make_tokens(url)
    async with application(url) as app:
        create = request(0, "POST", token, b"/plants")
        create.body = b"{}"  # its refusal is confirmed
        monkeypatch.setattr(
            "plantstore.http.authentication.KnownTokens.expire", lambda self, _: self.tokens.clear()
        )
        assert (await app.handle(create)).status == 400
        assert app.pools.requests.used == 0
