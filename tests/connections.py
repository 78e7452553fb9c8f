"""Connections that serve an application of their own, which counts its requests."""

import asyncio
from collections.abc import AsyncIterator
from socket import socket, socketpair
from typing import cast

import pytest

from plantstore.core.errors import OverloadedError, RequestError
from plantstore.core.fair_queue import FairQueue, Key
from plantstore.core.pools import Pools
from plantstore.core.settings import Settings
from plantstore.server.body import Body
from plantstore.server.connection import connect
from plantstore.server.connections import Connections
from plantstore.server.messages import Application, Request, Response

USER = (1, 2)


class CountingApplication:
    """Counts the requests that it handles."""

    def __init__(self, settings: Settings) -> None:
        self.pools, self.turns, self.handled = Pools(settings), FairQueue(), 0
        self.content, self.long = b"", bytes(20_000)
        self.ends, self.cached = asyncio.Event(), cast("Response | None", None)

    def get_cached(self, _data: bytes) -> Response | None:
        return self.cached

    def find_user(self, head: bytes | memoryview) -> Key | None:
        return USER if b"Authorization" in bytes(head) else None

    def client_address(self, request: Request) -> str:
        return "9.9.9.9" if request.path == b"/proxied" else request.address

    async def handle(self, request: Request) -> Response:
        self.handled += 1
        self.request = request
        if request.path.startswith((b"/store", b"/other")):
            request.holder = 1 + request.path.startswith(b"/other")
        if request.path.endswith(b"/wait"):
            await self.ends.wait()
        if isinstance(request.body, Body):
            part = request.path == b"/part"
            try:
                self.content = await (
                    request.body.read_part() if part else request.body.read(10**6)
                )
            except (OverloadedError, RequestError):
                return Response(b"HTTP/1.1 503 Service Unavailable\r\n")
        if request.error is not None:
            return Response(b"HTTP/1.1 503 Service Unavailable\r\n")
        if request.path.endswith(b"/long"):
            return Response(b"HTTP/1.1 200 OK\r\n", self.long)
        return Response(b"HTTP/1.1 204 No Content\r\n")


@pytest.fixture
async def application() -> CountingApplication:
    return CountingApplication(Settings())


def serve(application: CountingApplication, settings: Settings) -> Connections:
    return Connections(cast("Application", application), settings)


@pytest.fixture
async def connections(application: CountingApplication) -> AsyncIterator[Connections]:
    serving = serve(application, Settings())
    yield serving
    serving.close()


@pytest.fixture
async def client(connections: Connections) -> AsyncIterator[socket]:
    """A client that is connected; reading from it never blocks."""
    client, server = socketpair()
    with client:
        client.setblocking(False)  # noqa: FBT003 - its name says it
        connect(connections, server, "10.0.0.1")
        yield client


def record_prices(turns: FairQueue, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Key, int]]:
    """What is charged from now on, with its key, without the time of steps that take long."""
    monkeypatch.setattr(turns, "charge_time", lambda *_: None)
    return record_costs(turns, monkeypatch)


def record_costs(turns: FairQueue, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Key, int]]:
    """What is charged from now on, with its key."""
    costs, charge = list[tuple[Key, int]](), turns.charge

    def charge_and_record(key: Key, cost: int) -> None:
        costs.append((key, cost))
        charge(key, cost)

    monkeypatch.setattr(turns, "charge", charge_and_record)
    return costs
