"""A request as the operations need it: the head as a dict, the body counted as it streams."""

from typing import Any

from plantstore.errors import MissingTokenError
from plantstore.http.errors import BodyTooLargeError

BODY_MAX = 64 * 1024
_SCHEME = b"bearer "


class ClientGoneError(Exception):
    """The client hung up before its request was whole: nobody waits for an answer."""


class Request:
    """One request. The protocol has seen to it that headers which must be single are."""

    __slots__ = (
        "_receive",
        "commit_number",
        "headers",
        "http_version",
        "method",
        "query",
        "raw_path",
        "scheme",
    )

    def __init__(self, scope: Any, receive: Any) -> None:  # noqa: ANN401 - ASGI's own types
        self.method: str = scope["method"]
        self.raw_path: bytes = scope["raw_path"]
        self.query: bytes = scope["query_string"]
        self.scheme: str = scope["scheme"]
        self.http_version: str = scope["http_version"]
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        if len(self.headers) < len(scope["headers"]):
            self.headers = _join(scope["headers"])
        self.commit_number: int | None = None  # the database's, when the request began
        self._receive = receive

    def read_token(self) -> str:
        """The bearer token.

        :raises MissingTokenError: there is no Authorization header of the scheme Bearer.
        """
        value = self.headers.get(b"authorization", b"")
        if value[:7].lower() != _SCHEME:
            raise MissingTokenError
        return value[7:].strip().decode("latin-1")

    async def read_body(self) -> bytes:
        """The whole body.

        :raises BodyTooLargeError: it is over the bound; what comes beyond it is not kept.
        :raises ClientGoneError: it will never be whole.
        """
        if int(self.headers.get(b"content-length", b"0")) > BODY_MAX:
            raise BodyTooLargeError
        body: bytes = b""
        more = True
        while more:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGoneError
            part = message.get("body", b"")
            body = body + part if body else part
            more = message.get("more_body", False)
            if len(body) > BODY_MAX:
                raise BodyTooLargeError
        return body

    async def wait_until_gone(self) -> None:
        """Return when the client has hung up, or has the whole answer."""
        while (await self._receive())["type"] != "http.disconnect":
            pass


def _join(headers: list[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """The headers, with the values of one name as one list, which is what they mean."""
    joined: dict[bytes, bytes] = {}
    for name, value in headers:
        joined[name] = joined[name] + b", " + value if name in joined else value
    return joined
