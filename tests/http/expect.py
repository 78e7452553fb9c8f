"""The shape that every error response must have, whichever layer sends it."""

import re

from tests.http.raw import ALIVE, Connection, Message, Response

_CHALLENGES = {
    40101: 'Bearer realm="plants"',
    40102: 'Bearer realm="plants", error="invalid_token"',
}
_INSUFFICIENT_SCOPE = 'Bearer realm="plants", error="insufficient_scope", scope="[a-z]+"'
_RETRY_STATUSES = (429, 503)


def expect_error(
    response: Response, number: int, *, method: str = "GET", allow: str | None = None
) -> None:
    """Check that the response is exactly this error, with its headers and no others."""
    assert response.status == number // 100, response
    assert response.headers["content-type"] == "application/json"
    assert re.fullmatch("[0-9a-f]+-[0-9a-f]+", response.headers["x-request-id"])
    challenge = response.headers.get("www-authenticate")
    if number == 40301:
        assert re.fullmatch(_INSUFFICIENT_SCOPE, challenge or ""), response
    else:
        assert challenge == _CHALLENGES.get(number)
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers.get("allow") == allow
    assert response.headers["cache-control"] == "no-store"
    if response.status in _RETRY_STATUSES:
        assert int(response.headers["retry-after"]) >= 1
    else:
        assert "retry-after" not in response.headers
    if method == "HEAD":
        assert response.body == b""
    else:
        expect_error_body(response, number)


def expect_error_body(response: Response, number: int) -> None:
    """Check that the body is the interface's Error with this number, and nothing else."""
    assert int(response.headers["content-length"]) == len(response.body)
    body = response.json
    assert set(body) == {"error", "message"}
    assert type(body["error"]) is int
    assert body["error"] == number
    assert body["error"] < 2**31
    assert isinstance(body["message"], str)
    assert body["message"].strip()


def expect_clean_end(connection: Connection, response: Response) -> None:
    """Check that no bytes follow: the connection closes if it must, or serves on."""
    if response.closes:
        assert connection.read_to_end() == b""
    else:
        assert connection.request(Message("GET", "/livez")).json == ALIVE
