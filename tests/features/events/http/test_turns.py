"""Reading many events, or listening, delays no other user: pages and parts wait for turns."""

import asyncio
from functools import partial
from pathlib import Path

import pytest

from plantstore.core.fair_queue import BYTES_SENT, ROUTED
from plantstore.core.settings import Settings
from plantstore.databases import open_database, open_session
from plantstore.features.events.routes import add_events
from plantstore.http.app import App
from plantstore.server.messages import Stream
from tests.databases import create_sqlite
from tests.features.events.http.test_event_stream import fill_events
from tests.http.test_turns import MANY, make_tokens, request


async def read(app: App, token: str, served: list[str], query: bytes = b"limit=1000") -> None:
    event_request = request(0, "GET", token, b"/events")
    event_request.query = query
    assert (await app.handle(event_request)).status == 200
    served.append(token)


def test_users_take_turns_to_read_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = create_sqlite(tmp_path)
    flood, other = make_tokens(url)
    fill_events(url, 1000)
    costs: list[int] = []
    served: list[str] = []

    async def take(_: object, cost: int) -> None:
        costs.append(cost)

    async def run() -> None:
        settings = Settings(database=url)
        app = App(await open_database(settings), settings, partial(open_session, url))
        add_events(app)
        for token in (other, flood):  # both are active
            await read(app, token, [])
        flooding = [asyncio.ensure_future(read(app, flood, served)) for _ in range(MANY)]
        await asyncio.sleep(0)
        await asyncio.gather(read(app, other, served), *flooding)
        monkeypatch.setattr(app.turns, "try_take", lambda *_: True)  # the turns of requests
        monkeypatch.setattr(app.turns, "take", take)
        await read(app, flood, [], b"limit=1000")
        await app.close()

    asyncio.run(run())
    assert served.index(other) < MANY // 2
    assert costs == [ROUTED]


def test_each_part_of_a_live_stream_takes_a_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = create_sqlite(tmp_path)
    token, _ = make_tokens(url)
    fill_events(url, 60)
    costs, sent = list[int](), list[int]()

    async def take(_: object, cost: int) -> None:
        costs.append(cost)

    async def run() -> None:
        settings = Settings(database=url)
        app = App(await open_database(settings), settings, partial(open_session, url))
        add_events(app)
        event_request = request(0, "GET", token, b"/events")
        event_request.query = b"after=0"
        event_request.headers = {**event_request.headers, b"accept": b"text/event-stream"}
        stream = await app.handle(event_request)
        assert isinstance(stream, Stream)
        monkeypatch.setattr(app.turns, "take", take)
        monkeypatch.setattr(app.turns, "charge", lambda _, cost: sent.append(cost))
        parts = [await anext(stream.parts) for _ in range(4)]
        assert [part.count(b"data: ") for part in parts] == [0, 25, 25, 10]
        assert sent == [len(part) // BYTES_SENT for part in parts[1:]]
        await stream.close()
        await app.close()

    asyncio.run(run())
    assert costs == 3 * [ROUTED]


def test_many_listeners_get_a_page_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those of a lone user: the next request may be another store's."""
    monkeypatch.setattr("plantstore.sqlite.database._BRIEF_SECONDS", 60)  # no thread reads it
    url = create_sqlite(tmp_path)
    token, _ = make_tokens(url)
    fill_events(url, 1)
    sent: list[int] = []  # in each iteration of the event loop
    streams: list[Stream] = []

    async def read_event(stream: Stream) -> None:
        await anext(stream.parts)
        sent[-1] += 1

    async def run() -> None:
        settings = Settings(database=url)
        app = App(await open_database(settings), settings, partial(open_session, url))
        add_events(app)
        for number in range(MANY):
            event_request = request(number, "GET", token, b"/events")
            event_request.query = b"after=0"
            event_request.headers = {**event_request.headers, b"accept": b"text/event-stream"}
            stream = await app.handle(event_request)
            assert isinstance(stream, Stream)
            await anext(stream.parts)
            streams.append(stream)
        reading = asyncio.gather(*map(read_event, streams))
        while not reading.done():
            sent.append(0)
            await asyncio.sleep(0)
        for stream in streams:
            await stream.close()
        await app.close()

    asyncio.run(run())
    assert sum(sent) == MANY
    assert max(sent) <= MANY // 4
