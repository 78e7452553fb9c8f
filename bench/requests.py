"""Kinds of requests that are measured one by one: what a service does for each, not how many.

Each request of a kind is about another plant or page than the one before, but for repeated lists.
"""

from collections.abc import Iterator, Mapping
from http.client import HTTPConnection
from itertools import count

from bench.stores import SPACING, encode_cursor
from bench.wire import WrongResponseError

_BAD = 400
_LIST = "/plants?limit=100"

Request = tuple[str, str, str | None]  # method, path, body


def make_requests(kind: str) -> Iterator[Request]:
    """Requests of a kind, without end."""
    for number in count(1):
        plant = f'{{"id":{10**15 + number},"name":"Monstera deliciosa","tag":"tropical"}}'
        requests: dict[str, Request] = {
            "create": ("POST", "/plants", plant),
            "delete": ("DELETE", f"/plants/{SPACING * number}", None),
            "list, from the database": ("GET", f"{_LIST}&after={encode_cursor(number)}", None),
        }
        yield requests.get(kind, ("GET", _LIST, None))


def send(connection: HTTPConnection, request: Request, headers: Mapping[str, str]) -> None:
    """Send one request, whose response is not awaited."""
    method, path, body = request
    media_type = {"Content-Type": "application/json"} if body else {}
    connection.request(method, path, body, {**headers, **media_type})


def receive(connection: HTTPConnection) -> None:
    """Read one response.

    :raises WrongResponseError: the request was refused.
    """
    response = connection.getresponse()
    content = response.read()
    if response.status >= _BAD:
        raise WrongResponseError(f"{response.status}: {content[:200]!r}")
