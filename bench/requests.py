"""Requests that are measured one by one, each for another plant or page, or repeated."""

from collections.abc import Iterator, Mapping
from http.client import HTTPConnection
from itertools import count

from bench.servers import WrongResponseError
from bench.stores import SPACING, encode_cursor

_BAD = 400
_LIST = "/plants?limit=100"

Request = tuple[str, str, str | None, dict[str, str]]  # method, path, body, headers


def make_requests(kind: str) -> Iterator[Request]:
    """Endless requests of a kind; traced requests have headers as proxies add them."""
    first = 10**12 * len(kind)
    for number in count(1):
        trace = {"traceparent": f"00-{number:032x}-{number:016x}-01", "X-Request-Id": f"{number:x}"}
        headers = trace | {"X-Forwarded-For": "203.0.113.7"} if "traced" in kind else {}
        headers |= {"Idempotency-Key": f"{number:032x}"} if "keyed" in kind else {}
        plant = f'{{"id":{first + number},"name":"Monstera deliciosa","tag":"tropical"}}'
        requests = {
            "create": ("POST", "/plants", plant),
            "delete": ("DELETE", f"/plants/{SPACING * number}", None),
            "events": ("GET", "/events", None),
            "list, from the database": ("GET", f"{_LIST}&after={encode_cursor(number)}", None),
        }
        name = kind.removesuffix(", traced").removesuffix(", keyed")
        method, path, body = requests.get(name, ("GET", _LIST, None))
        yield method, path, body, headers


def send(connection: HTTPConnection, request: Request, headers: Mapping[str, str]) -> None:
    """Send one request, without waiting for the response."""
    method, path, body, own = request
    media_type = {"Content-Type": "application/json"} if body else {}
    connection.request(method, path, body, {**headers, **media_type, **own})


def receive(connection: HTTPConnection) -> None:
    """Read one response."""
    response = connection.getresponse()
    content = response.read()
    if response.status >= _BAD:
        raise WrongResponseError(f"{response.status}: {content[:200]!r}")
