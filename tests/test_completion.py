"""What waits for a completion goes on at once."""

import asyncio
from socket import socket
from typing import Any

import pytest

from plantstore.core.completion import Completion
from tests.connections import CountingApplication, application, client, connections

__all__ = ["application", "client", "connections"]  # the fixtures

pytestmark = pytest.mark.anyio


def fail(_future: object) -> None:
    raise RuntimeError("a defect")


async def test_then_is_called_at_once_and_other_callbacks_later() -> None:
    called = list[str]()
    completion = Completion[int]()
    completion.add_done_callback(lambda _: called.append("callback"))
    completion.then = lambda future: called.append(f"then {future.result()}")
    completion.settle(1)
    assert called == ["then 1"]
    await asyncio.sleep(0)
    assert called == ["then 1", "callback"]


async def test_who_waits_gets_the_error() -> None:
    completion = Completion[int]()
    completion.settle(ValueError("an error"))
    with pytest.raises(ValueError, match="an error"):
        await completion


async def test_a_cancelled_completion_is_not_settled() -> None:
    completion = Completion[int]()
    completion.then = fail
    completion.cancel()
    completion.settle(1)
    assert completion.cancelled()


async def test_a_failure_is_logged_and_stops_nothing() -> None:
    logged = list[dict[str, Any]]()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: logged.append(context))
    completion = Completion[int]()
    completion.then = fail
    completion.settle(1)
    assert completion.result() == 1
    assert [str(context["exception"]) for context in logged] == ["a defect"]


async def test_a_response_that_waits_for_a_completion_is_sent_at_once(
    application: CountingApplication, client: socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    completion = Completion[None]()
    monkeypatch.setattr(application.ends, "wait", lambda: completion)
    client.sendall(b"GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
    while not application.handled:  # noqa: ASYNC110 - it takes a few iterations
        await asyncio.sleep(0)
    completion.settle(None)
    assert client.recv(100).startswith(b"HTTP/1.1 204 ")
