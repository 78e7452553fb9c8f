"""Periodic work of the application goes on after any error."""

import asyncio
from functools import partial
from pathlib import Path

import pytest

from plantstore.core.settings import Settings
from plantstore.databases import open_database, open_session
from plantstore.http.app import App
from plantstore.sql.session import Session
from tests.databases import create_sqlite


def test_periodic_work_that_fails_is_logged_and_repeated(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    url = create_sqlite(tmp_path)

    async def run() -> None:
        loop, is_repeated = asyncio.get_running_loop(), asyncio.Event()
        runs: list[Session] = []

        def work(session: Session) -> float:
            runs.append(session)
            if len(runs) == 1:
                raise ValueError("of the first run")
            loop.call_soon_threadsafe(is_repeated.set)
            return 60

        settings = Settings(database=url)
        app = App(await open_database(settings), settings, partial(open_session, url))
        app.repeat(work)
        await asyncio.wait_for(is_repeated.wait(), 10)
        await app.close()

    asyncio.run(run())
    assert "ValueError: of the first run" in caplog.text
