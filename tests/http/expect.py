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
    answer: Response, number: int, *, method: str = "GET", allow: str | None = None
) -> None:
    """Check that the response is exactly this error, with its headers and no others."""
    assert answer.status == number // 100, answer
    assert answer.headers["content-type"] == "application/json"
    assert re.fullmatch("[0-9a-f]+-[0-9a-f]+", answer.headers["x-request-id"])
    challenge = answer.headers.get("www-authenticate")
    if number == 40301:
        assert re.fullmatch(_INSUFFICIENT_SCOPE, challenge or ""), answer
    else:
        assert challenge == _CHALLENGES.get(number)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers.get("allow") == allow
    assert answer.headers["cache-control"] == "no-store"
    if answer.status in _RETRY_STATUSES:
        assert int(answer.headers["retry-after"]) >= 1
    else:
        assert "retry-after" not in answer.headers
    if method == "HEAD":
        assert answer.body == b""
    else:
        expect_error_body(answer, number)


def expect_error_body(answer: Response, number: int) -> None:
    """Check that the body is the interface's Error with this number, and nothing else."""
    assert int(answer.headers["content-length"]) == len(answer.body)
    body = answer.json
    assert set(body) == {"error", "message"}
    assert type(body["error"]) is int
    assert body["error"] == number
    assert body["error"] < 2**31
    assert isinstance(body["message"], str)
    assert body["message"].strip()


def expect_clean_end(connection: Connection, answer: Response) -> None:
    """Check that no bytes follow: the connection closes if it must, or serves on."""
    if answer.closes:
        assert connection.read_to_end() == b""
    else:
        assert connection.ask(Message("GET", "/livez")).json == ALIVE
