"""Who reads many events delays nobody: a page has its weight, and a user's are read one by one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from plantstore.core.settings import Settings
from plantstore.databases import open_database, open_session
from plantstore.features.events.routes import add_events
from plantstore.http.app import App, Process
from plantstore.http.limits.turns import ROUTED
from tests.databases import create_sqlite
from tests.features.events.http.test_event_stream import fill_events
from tests.http.test_turns import MANY, make_tokens, request


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[App]:
    """The application with its events, on this event loop."""
    settings = Settings(database=url)
    app = App(await open_database(settings), settings, partial(open_session, url), Process())
    add_events(app)
    yield app
    await app.close()


async def read(
    app: App, token: str, done: list[str], query: bytes = b"limit=1000", method: str = "GET"
) -> None:
    """Read a page of events, and note whose it was."""
    asked = request(0, method, token, b"/events")
    asked.query = query
    assert (await app.handle(asked)).status == 200
    done.append(token)


def test_a_page_does_not_wait_for_all_of_another_users(tmp_path: Path) -> None:
    url = create_sqlite(tmp_path)
    flood, other = make_tokens(url)
    fill_events(url, 1000)

    async def run() -> list[str]:
        done: list[str] = []
        async with opened(url) as app:
            flooding = [asyncio.ensure_future(read(app, flood, done)) for _ in range(MANY)]
            await asyncio.sleep(0)
            await asyncio.gather(read(app, other, done), *flooding)
        return done

    assert asyncio.run(run()).index(other) < MANY // 2


def test_a_page_costs_more_turns_the_more_events_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = create_sqlite(tmp_path)
    token, _ = make_tokens(url)
    fill_events(url, 1000)
    costs: list[int] = []

    async def take(_: object, cost: int) -> None:
        costs.append(cost)

    async def run() -> None:
        async with opened(url) as app:
            monkeypatch.setattr(app.turns, "take", take)
            for query in (b"limit=1000", b"limit=400", b"after=800&limit=1000", b"after=1000"):
                await read(app, token, [], query)
            await read(app, token, [], b"limit=1000", "HEAD")

    asyncio.run(run())
    assert costs == [5 * ROUTED, 2 * ROUTED, ROUTED, 0]
