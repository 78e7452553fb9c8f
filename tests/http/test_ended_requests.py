"""How requests end that cannot be completed: with an error, or with the connection."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from socket import socketpair

import pytest

from plantstore.core.errors import RequestError
from plantstore.core.model import Grant
from plantstore.core.settings import Settings
from plantstore.databases import open_database, open_session
from plantstore.http.app import App
from plantstore.server.connection import connect
from plantstore.server.connections import Connections
from plantstore.server.messages import Request, Stream
from tests.administration import open_administration
from tests.databases import create_sqlite

pytestmark = pytest.mark.anyio

REQUEST = b"GET /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n"


class Serving:
    """An application on a new database, with one client that has sent a list request."""

    def __init__(self, app: App, token: str) -> None:
        self.app = app
        self.connections = Connections(app, app.settings)
        self._client, server = socketpair()
        self._client.settimeout(0)
        connect(self.connections, server, "10.0.0.1")
        self._client.send(REQUEST % token.encode())

    async def read(self) -> bytes:
        """All that the client receives."""
        loop, received = asyncio.get_running_loop(), b""
        with self._client:
            while part := await asyncio.wait_for(loop.sock_recv(self._client, 65536), 10):
                received += part
        return received


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[Serving]:
    url = create_sqlite(folder)
    with closing(open_administration(url)) as administration:
        token = administration.create_token(Grant(subject="ada", store="nursery")).secret
    settings = Settings(database=url)
    app = App(await open_database(settings), settings, partial(open_session, url))
    try:
        yield Serving(app, token)
    finally:
        await app.close()


@pytest.mark.parametrize("place", ["part", "close"])
async def test_an_unexpected_error_ends_a_stream_with_its_connection(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, place: str
) -> None:
    async def parts() -> AsyncIterator[bytes]:
        yield b"[1"
        if place == "part":
            raise LookupError("unexpected")
        yield b"]"

    async def close() -> None:
        if place == "close":
            raise LookupError("unexpected")

    async def handle(_request: Request) -> Stream:
        return Stream(b"HTTP/1.1 200 OK\r\n", parts(), close)

    async with serving(tmp_path) as served:
        served.app.handle = handle  # type: ignore[method-assign, assignment]
        assert b"[1" in await served.read()
        served.connections.close()
    assert "unexpected" in caplog.text


async def test_an_error_that_cannot_be_written_is_an_internal_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("CRITICAL", "plantstore")  # pytest's workers cannot send the log, either

    async def read_page(*_: object, **__: object) -> None:
        raise RequestError(40006, reason="\ud800")

    async with serving(tmp_path) as served:
        served.app.database.read_page = read_page  # type: ignore[method-assign, assignment]
        served.connections.announce_stop()
        assert b'{"error":50001,' in await served.read()
        served.connections.close()


async def test_reads_get_a_response_when_the_drain_timeout_has_passed(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        has_begun = asyncio.Event()

        async def read_page(*_: object, **__: object) -> None:
            has_begun.set()
            try:
                await asyncio.Event().wait()
            finally:  # as while a thread reads
                await asyncio.Event().wait()

        served.app.database.read_page = read_page  # type: ignore[method-assign, assignment]
        await has_begun.wait()
        served.connections.announce_stop()
        served.connections.close()
        assert b'{"error":50301,' in await served.read()
