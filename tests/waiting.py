"""Waits for conditions that must hold soon."""

import time
from collections.abc import Callable

import httpx

SECONDS = 60.0


def wait_until(condition: Callable[[], object], *, pause: float = 0.02) -> None:
    """Poll until the condition holds, which must be soon; ``pause`` is the time between polls."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(pause)


def responds(url: str) -> bool:
    """Whether a server responds there, with any response."""
    try:
        return bool(httpx.get(url, verify=False).status_code)
    except httpx.TransportError:
        return False
