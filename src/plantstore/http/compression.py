"""Compresses long lists on request, part by part, in a few threads.

Invariant: the event loop compresses nothing. At most one part of a list is in a thread at a time:
if a client hangs up, only that part is wasted.
"""

import asyncio
import sys
import zlib
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from importlib import import_module
from typing import Any

from plantstore.core.thread import give_precedence
from plantstore.http.responses import read_weights

_GZIP = 31  # zlib's number for the largest window, with gzip's head and check
_LEVEL = 1  # the fastest: higher levels take more time than most networks save

OpenLane = Callable[[], AbstractAsyncContextManager[None]]

# More than the event loop can keep busy. They start with the first list.
_threads = ThreadPoolExecutor(2, "compression", give_precedence)

CODINGS: dict[bytes, Callable[[], Any]] = {}  # makes a compressor for each coding, the best first
with suppress(ImportError):
    _zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    CODINGS[b"zstd"] = lambda: _zstd.ZstdCompressor(_LEVEL)
CODINGS[b"gzip"] = lambda: zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)


def choose_coding(accepted: bytes | None) -> bytes | None:
    """The best coding named by ``Accept-Encoding``, unless none is preferred; ``*`` is ignored."""
    if not accepted:
        return None
    weights = read_weights(accepted)
    weights = {name: weights.get(name, 0.0) for name in (*CODINGS, b"identity")}
    coding = max(CODINGS, key=weights.__getitem__)
    return coding if weights[coding] and weights[coding] >= weights[b"identity"] else None


async def compress(
    parts: AsyncIterator[bytes], coding: bytes, lane: OpenLane
) -> AsyncIterator[bytes]:
    """Compress the parts, each in the lane; no result is empty."""
    run = partial(asyncio.get_running_loop().run_in_executor, _threads)
    compressor = CODINGS[coding]()
    async for part in parts:
        async with lane():
            compressed = await run(compressor.compress, part)
        if compressed:
            yield compressed
    yield await run(compressor.flush)
