"""Ways to mutate a valid request, each with the number of the expected error."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.http.fixtures import PLANT, Route, StoreFixture
from tests.http.raw import Message

TOO_LARGE = 64 * 1024 + 1
Mutate = Callable[[Message, StoreFixture, Route], Message]


@dataclass(frozen=True)
class InvalidRequest:
    """One way to mutate a request."""

    number: int
    mutate: Mutate
    name: str

    def __str__(self) -> str:
        return f"{self.number} {self.name}"


def changing(number: int, name: str, change: Callable[[Message], Message]) -> InvalidRequest:
    return InvalidRequest(number, lambda message, _fixture, _route: change(message), name)


def with_body(number: int, name: str, body: bytes) -> InvalidRequest:
    return changing(number, name, lambda message: replace(message, body=body))


def with_header(number: int, name: str, header: str, value: str) -> InvalidRequest:
    return changing(number, name, lambda message: message.replacing_header(header, value))


def with_query(number: int, query: str, name: str | None = None) -> InvalidRequest:
    return changing(
        number, name or query, lambda message: message.with_target(f"{message.target}?{query}")
    )


def with_target(number: int, name: str, old: str, new: str) -> InvalidRequest:
    return changing(
        number, name, lambda message: message.with_target(message.target.replace(old, new))
    )


def _use_token(message: Message, token: str) -> Message:
    return message.replacing_header("Authorization", f"Bearer {token}")


def _take_scope(message: Message, fixture: StoreFixture, route: Route) -> Message:
    assert route.scope is not None
    return _use_token(message, fixture.token_missing(route.scope))


def _leave_store(message: Message, fixture: StoreFixture, route: Route) -> Message:
    if "{store}" in route.path:
        return message.with_target(message.target.replace(fixture.store, "nowhere"))
    return _use_token(message, fixture.token_of_non_member())


PATH = changing(40402, "path", lambda message: message.with_target(f"/nowhere{message.target}"))
METHOD = changing(40501, "method", lambda message: replace(message, method="PATCH"))
NO_TOKEN = changing(40101, "no token", lambda message: message.without("Authorization"))
BAD_TOKEN = with_header(40102, "bad token", "Authorization", "Bearer pst_1_nonsense")
STORE = InvalidRequest(40403, _leave_store, "store")
PERMISSION = InvalidRequest(40301, _take_scope, "permission")
MEDIA_TYPE = with_header(41501, "media type", "Content-Type", "text/plain")
SIZE = with_body(41301, "size", b"[" * TOO_LARGE)
NOT_JSON = with_body(40001, "not JSON", b'{"id": 2')
BAD_PLANT_ID = with_target(40009, "bad id", "/plants/1", "/plants/one")
MANY_PARAMETERS = with_query(40012, "&".join(["x"] * 51), "many parameters")
BAD_LIMIT = with_query(40005, "limit=-1")

FRAMING = (
    changing(40011, "no host", lambda message: message.without("Host")),
    changing(40011, "two hosts", lambda message: message.with_header("Host", "other")),
    with_query(41401, "x" * 8192, "long target"),
    with_header(43101, "large head", "X-Large", "x" * 16384),
    changing(
        43101,
        "many headers",
        lambda message: replace(message, headers=message.headers + (("X-Many", "1"),) * 101),
    ),
)
BEARERS = (NO_TOKEN, BAD_TOKEN, STORE)
CALLERS = (*BEARERS, PERMISSION)
OF_LISTS = (
    BAD_LIMIT,
    with_query(40006, "after=7"),
    with_query(40007, "include=colour"),
    with_query(40013, "page=2"),
    with_query(40013, "Limit=1"),
    with_query(40008, "tag=%00"),
    MANY_PARAMETERS,
)
NO_PRECONDITION = with_header(41202, "precondition", "If-None-Match", "*")
OF_CREATES = (
    NO_PRECONDITION,
    MEDIA_TYPE,
    SIZE,
    NOT_JSON,
    with_body(40002, "no name", b'{"id": 2}'),
    with_body(40003, "taken id", b'{"id": 1, "name": "Other"}'),
    with_body(40004, "known plant", PLANT),
    with_header(40010, "bad key", "Idempotency-Key", "x" * 256),
    with_header(42201, "used key", "Idempotency-Key", "used"),
)
OF_PLANTS = (
    BAD_PLANT_ID,
    with_target(40401, "no such plant", "/plants/1", "/plants/7"),
    with_header(41201, "another plant", "If-Match", '"0123456789abcdef"'),
    with_header(40014, "many tags", "If-Match", ", ".join(101 * ['"0123456789abcdef"'])),
    with_header(40014, "many other tags", "If-None-Match", ", ".join(101 * ['"0"'])),
)
OF_UPDATES = (
    *(MEDIA_TYPE, SIZE, NOT_JSON),
    with_body(40002, "no name", b"{}"),
    with_body(40002, "another id", b'{"id": 2, "name": "Fern"}'),
)
