"""Waiting for what must come soon."""

import time
from collections.abc import Callable

import httpx

SECONDS = 60.0


def wait_until(condition: Callable[[], object], *, pause: float = 0.02) -> None:
    """Return when the condition holds, as it must soon; ``pause`` is the time between two looks."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(pause)


def responds(url: str) -> bool:
    """Whether something responds there, whatever it says."""
    try:
        return bool(httpx.get(url, verify=False).status_code)
    except httpx.TransportError:
        return False
