"""Garbage is collected seldom and in small portions, because all requests wait meanwhile."""

import asyncio
import gc
from contextlib import closing
from pathlib import Path
from socket import socketpair
from ssl import create_default_context

import pytest
from msgspec.structs import replace

import plantstore
from plantstore.bootstrap import create_app
from plantstore.core.model import Grant
from plantstore.core.settings import Settings
from plantstore.server.connection import Connection, connect
from plantstore.server.connections import Connections
from tests.administration import open_administration
from tests.certificates import make_certificate
from tests.databases import create_sqlite

_HEAD = b" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %b\r\n"
REQUESTS = {
    "complete": b"GET /plants" + _HEAD + b"\r\n",
    "write": b"DELETE /plants/1" + _HEAD + b"\r\n",
    "incomplete": b"POST /plants" + _HEAD + b"Content-Length: 9\r\n\r\n{",
    "malformed": b"POST /changes" + _HEAD + b"Transfer-Encoding: chunked\r\n\r\nx\r\n",
    "malformed and unread": b"POST /x" + _HEAD + b"Transfer-Encoding: chunked\r\n\r\nx\r\n",
}


def test_few_objects_are_collected_at_once() -> None:
    assert plantstore.__doc__  # imported, which sets the portions
    gc.collect()  # the garbage of other tests
    collected: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "stop":
            collected.append(info["collected"])

    gc.callbacks.append(note)
    for _ in range(60_000):
        cycle: list[object] = []
        cycle.append(cycle)
    gc.callbacks.remove(note)
    assert collected
    assert max(collected) <= 10_000


@pytest.mark.anyio
@pytest.mark.parametrize("with_tls", [False, True])
@pytest.mark.parametrize("name", REQUESTS)
async def test_a_connection_is_freed_when_it_is_lost(
    tmp_path: Path, name: str, *, with_tls: bool
) -> None:
    settings, trust = Settings(database=create_sqlite(tmp_path)), None
    if with_tls:
        path = make_certificate(tmp_path)
        settings = replace(settings, tls_cert=str(path), tls_key=str(path.with_suffix(".key")))
        trust = create_default_context(cafile=path)
    with closing(open_administration(settings.database)) as administration:
        token = administration.create_token(Grant(subject="owner", store="garden")).secret
    application = await create_app(settings, 0.0, 0)
    connections = Connections(application, settings)
    client, server = socketpair()
    gc.collect()  # the garbage of other tests
    gc.disable()
    try:
        connect(connections, server, "10.0.0.1")
        host = "127.0.0.1" if with_tls else None
        reader, writer = await asyncio.open_connection(sock=client, ssl=trust, server_hostname=host)
        writer.write(REQUESTS[name] % token.encode())
        response = asyncio.create_task(reader.read(1))
        while not (response.done() or application.pools.unread_bytes.used):  # noqa: ASYNC110 - it takes a few iterations
            await asyncio.sleep(0)
        writer.transport.abort()
        while connections.opened:  # noqa: ASYNC110 - it takes a few iterations
            await asyncio.sleep(0)
        for _ in range(100):
            await asyncio.sleep(0.01)
            left = [it for it in gc.get_objects() if isinstance(it, Connection)]
            if not left:
                break
    finally:
        gc.enable()
        connections.close()
        await application.close()
    assert not left
