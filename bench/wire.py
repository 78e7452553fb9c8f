"""Requests to a server, and its responses."""

from contextlib import closing
from http.client import HTTPConnection

from msgspec import Struct

_TIMEOUT = 60.0


class WrongResponseError(Exception):
    """A server gave another response than the scenario is about: there is nothing to measure."""


class Response(Struct, frozen=True):
    """A response as it was received."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


def fetch(
    origin: str, method: str, path: str, headers: dict[str, str], body: bytes | None = None
) -> Response:
    """The response of the server at this origin.

    :raises OSError: there is none.
    """
    with closing(HTTPConnection(origin.removeprefix("http://"), timeout=_TIMEOUT)) as connection:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        content = response.read()
    pairs = [(name.encode(), value.encode()) for name, value in response.getheaders()]
    return Response(response.status, pairs, content)
