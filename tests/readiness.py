"""Polls ``/readyz`` until it has the expected status."""

import time

import httpx

from tests.service import Service

_SECONDS = 30.0


def wait_for_readiness(service: Service, status: int) -> str:
    """Poll until the response has this status; return its message, or ``ready``."""
    deadline = time.monotonic() + _SECONDS
    while True:
        response = httpx.get(f"{service.origin}/readyz", timeout=_SECONDS)
        if response.status_code == status:
            return read_message(response)
        assert time.monotonic() < deadline, response.text
        time.sleep(0.05)


def read_message(response: httpx.Response) -> str:
    """The message of a 503, or the status of a 200; fail if the body has another shape."""
    body = response.json()
    if response.status_code == 200:
        assert body.keys() == {"status", "version"}
        return str(body["status"])
    assert (response.status_code, body.keys()) == (503, {"error", "message"})
    assert body["error"] == 50302
    assert response.headers["retry-after"]
    return str(body["message"])
