"""A body as its reader and its connection see it, byte by byte."""

import asyncio

import pytest

from plantstore.core.errors import RequestError
from plantstore.server.body import ChunkedBody


async def refuse_large_body() -> ChunkedBody:
    body = ChunkedBody(lambda: None)
    reading = asyncio.create_task(body.read(10))
    await asyncio.sleep(0)
    assert body.is_wanted
    body.feed(b"ffff\r\n" + b"x" * 11)
    with pytest.raises(RequestError):
        await reading
    return body


def test_a_body_that_was_refused_is_wanted_no_longer() -> None:
    # Else all that comes while the refusal waits for its client is kept.
    body = asyncio.run(refuse_large_body())
    assert not body.is_wanted
