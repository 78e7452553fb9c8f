"""Polls ``/readyz`` until it has the expected status."""

import time

import httpx

from tests.service import Service

_SECONDS = 30.0


def wait_for_readiness(service: Service, status: int) -> str:
    """Poll until the response has this status; return its message, or ``ready``."""
    deadline = time.monotonic() + _SECONDS
    while True:
        answer = httpx.get(f"{service.origin}/readyz", timeout=_SECONDS)
        if answer.status_code == status:
            return read_answer(answer)
        assert time.monotonic() < deadline, answer.text
        time.sleep(0.05)


def read_answer(answer: httpx.Response) -> str:
    """The message of a 503, or the status of a 200; fail if the body has another shape."""
    body = answer.json()
    if answer.status_code == 200:
        assert body.keys() == {"status", "version"}
        return str(body["status"])
    assert (answer.status_code, body.keys()) == (503, {"error", "message"})
    assert body["error"] == 50302
    assert answer.headers["retry-after"]
    return str(body["message"])
