"""Users take turns: what one has beyond a share of a round waits, and nobody else does."""

import asyncio
from contextlib import closing
from functools import partial
from pathlib import Path

from plantstore.core.model import Grant
from plantstore.core.settings import Settings
from plantstore.databases import open_database, open_session
from plantstore.http.app import App, Process
from plantstore.http.limits.turns import RECALLED, ROUTED, Turns
from plantstore.server.messages import Request
from tests.administration import open_administration
from tests.databases import create_sqlite
from tests.http.calls import create_plant
from tests.http.fixtures import LISTS, make_fixture
from tests.http.raw import Connection
from tests.service import Service

MANY = 50


async def take(turns: Turns, user: str, name: str, done: list[str]) -> None:
    """Take a turn, and note when."""
    await turns.take(user, ROUTED)
    done.append(name)


async def take_all(users: str) -> list[str]:
    """The order in which turns come, asked for in that of ``users``."""
    turns, done = Turns(), list[str]()
    names = [f"{user}{number}" for number, user in enumerate(users)]
    await asyncio.gather(*(take(turns, name[0], name, done) for name in names))
    return done


async def count_at_once(turns: Turns, user: str, cost: int) -> int:
    """How many turns of one round the user has, after another user's."""
    turns.try_take("other", cost)
    count = sum(turns.try_take(user, cost) for _ in range(MANY))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return count


def test_who_is_alone_never_waits() -> None:
    async def run() -> None:
        turns = Turns()
        assert all(turns.try_take("a", ROUTED) for _ in range(MANY))

    asyncio.run(run())


def test_beside_others_each_has_a_share_of_each_round() -> None:
    async def run() -> None:
        turns = Turns()
        routed = [await count_at_once(turns, "a", ROUTED) for _ in range(3)]
        recalled = [await count_at_once(turns, "a", RECALLED) for _ in range(3)]
        assert (routed, recalled) == (3 * [4], 3 * [24])

    asyncio.run(run())


def test_who_asks_for_little_comes_before_what_others_have_too_much() -> None:
    done = asyncio.run(take_all("b" + MANY * "a" + "c" + MANY * "a" + "d"))
    first = [name[0] for name in done[:7]]
    assert first == ["b", "a", "a", "a", "a", "c", "d"]


def test_nothing_is_lost_and_everybody_keeps_their_order() -> None:
    done = asyncio.run(take_all(MANY * "ab"))
    assert len(done) == 2 * MANY
    for user in "ab":
        numbers = [int(name[1:]) for name in done if name[0] == user]
        assert numbers == sorted(numbers)


def test_a_turn_that_nobody_waits_for_any_more_is_passed_on() -> None:
    async def run() -> list[str]:
        turns, done = Turns(), list[str]()
        await take(turns, "b", "first", [])
        tasks = [asyncio.ensure_future(take(turns, "a", str(n), done)) for n in range(20)]
        await asyncio.sleep(0)
        for task in tasks[4:19]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return done

    assert asyncio.run(run()) == ["0", "1", "2", "3", "19"]


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


def test_the_application_gives_all_routes_their_turns(tmp_path: Path) -> None:
    url = create_sqlite(tmp_path)
    flood, other = make_tokens(url)

    async def run(method: str, path: bytes, token: str) -> list[int]:
        settings = Settings(database=url)
        app = App(await open_database(settings), settings, partial(open_session, url), Process())
        done: list[int] = []

        async def handle(number: int, token: str, method: str, path: bytes) -> None:
            await app.handle(request(number, method, token, path))
            done.append(number)

        await handle(-2, other, "GET", b"/plants")
        await handle(-1, token, "GET", b"/plants")
        flooding = [handle(number, token, method, path) for number in range(MANY)]
        await asyncio.gather(*flooding, handle(MANY, other, "GET", b"/plants"))
        await app.close()
        return done

    for method, path in (("GET", b"/plants"), ("POST", b"/plants"), ("DELETE", b"/plants/1")):
        assert asyncio.run(run(method, path, flood)).index(MANY) < MANY // 2
    assert asyncio.run(run("GET", b"/plants", "no token")).index(MANY) < MANY // 2


def test_a_user_is_not_delayed_by_the_address_of_their_own_token(tmp_path: Path) -> None:
    url = create_sqlite(tmp_path)
    token, _ = make_tokens(url)

    async def run() -> bool:
        settings = Settings(database=url)
        app = App(await open_database(settings), settings, partial(open_session, url), Process())
        for number, path in enumerate((b"/plants", b"/me", b"/plants")):
            await app.handle(request(number, "GET", token, path))
        creates = [app.handle(request(number, "POST", token, b"/plants")) for number in range(MANY)]
        handling = [asyncio.ensure_future(create) for create in creates]
        await asyncio.sleep(0)
        depth = app.database.gauges()["write_queue_depth",]
        await asyncio.gather(*handling)
        await app.close()
        return depth == MANY

    assert asyncio.run(run())


def test_two_who_send_much_get_all_their_responses_in_order(service: Service) -> None:
    fixtures = [make_fixture(service), make_fixture(service)]
    for fixture in fixtures:
        with service.client(fixture.token) as client:
            for number in range(2, 6):
                create_plant(client, number, f"Plant {number}")
    with Connection(service.origin) as one, Connection(service.origin) as other:
        for number in range(3 * MANY):
            for connection, fixture in zip((one, other), fixtures, strict=True):
                page = fixture.message(LISTS[0])
                connection.send(page.aimed_at(f"{page.target}?limit={number % 5}"))
        for number in range(3 * MANY):
            for connection in (one, other):
                assert len(connection.receive().json) == number % 5
