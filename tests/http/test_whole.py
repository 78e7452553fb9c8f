"""A whole answer is one write, and leaves the connection as ASGI's two messages would."""

import asyncio
import logging
from typing import Any
from unittest.mock import Mock

import pytest
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from plantstore.http.answers import Answer
from plantstore.http.whole import write_whole

Sent = tuple[bytes, list[str], dict[str, Any]]

_ANSWER = Answer(200, [(b"content-length", b"2")], b"[]")


def _make_cycle(method: str = "GET", *, keep_alive: bool = True) -> Any:  # noqa: ANN401 - its parts are mocks
    return RequestResponseCycle(
        scope={"method": method},  # type: ignore[typeddict-item]  # all that it reads
        transport=Mock(),
        flow=Mock(write_paused=False),
        logger=logging.getLogger(),
        access_logger=logging.getLogger(),
        access_log=False,
        default_headers=[(b"date", b"now")],
        message_event=asyncio.Event(),
        expect_100_continue=False,
        keep_alive=keep_alive,
        on_response=Mock(),
    )


def _send_both_ways(method: str, *, keep_alive: bool) -> list[Sent]:
    """What two new cycles have written, called and become, by the messages and at once."""
    extra = [(b"x-request-id", b"1")]
    slow, quick = (_make_cycle(method, keep_alive=keep_alive) for _ in range(2))
    start = {"type": "http.response.start", "status": 200}
    asyncio.run(slow.send(start | {"headers": [*_ANSWER.headers, *extra]}))
    asyncio.run(slow.send({"type": "http.response.body", "body": _ANSWER.body}))
    assert write_whole(quick.send, _ANSWER, extra)
    assert quick.transport.write.call_count == 1
    return [_describe(slow), _describe(quick)]


def _describe(cycle: Any) -> Sent:  # noqa: ANN401 - as above
    written = b"".join(call.args[0] for call in cycle.transport.write.call_args_list)
    names = ("response_started", "response_complete", "keep_alive", "waiting_for_100_continue")
    state = {name: getattr(cycle, name) for name in names}
    state["event"] = cycle.message_event.is_set()
    calls = ["close"] * cycle.transport.close.call_count + ["done"] * cycle.on_response.call_count
    return written, calls, state


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
@pytest.mark.parametrize("keep_alive", [True, False])
def test_it_is_what_the_two_messages_send(method: str, *, keep_alive: bool) -> None:
    messages, whole = _send_both_ways(method, keep_alive=keep_alive)
    assert whole == messages


def test_no_header_can_hold_another() -> None:
    cycle = _make_cycle()
    with pytest.raises(ValueError, match="end of a line"):
        write_whole(cycle.send, _ANSWER, [(b"link", b"a\r\nset-cookie: b")])
    assert not cycle.transport.write.called
    assert not cycle.response_started


def test_it_waits_its_turn_where_the_client_takes_nothing() -> None:
    cycle = _make_cycle()
    cycle.flow.write_paused = True
    assert not write_whole(cycle.send, _ANSWER, [])
    assert not cycle.transport.write.called


def test_nothing_is_written_to_a_client_that_has_gone() -> None:
    cycle = _make_cycle()
    cycle.disconnected = True
    assert not write_whole(cycle.send, _ANSWER, [])
    assert not cycle.transport.write.called


def test_another_server_gets_the_messages() -> None:
    async def send(_message: object) -> None: ...

    assert not write_whole(send, _ANSWER, [])
