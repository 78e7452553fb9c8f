"""Ways to mutate a good request, each with the number of the error that it must get."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import quote

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
        """Its name in a test's id."""
        return f"{self.number} {self.name}"


def _change(number: int, name: str, change: Callable[[Message], Message]) -> InvalidRequest:
    return InvalidRequest(number, lambda message, _fixture, _route: change(message), name)


def _body(number: int, name: str, body: bytes) -> InvalidRequest:
    return _change(number, name, lambda message: replace(message, body=body))


def _header(number: int, name: str, header: str, value: str) -> InvalidRequest:
    return _change(number, name, lambda message: message.setting(header, value))


def _query(number: int, query: str, name: str | None = None) -> InvalidRequest:
    return _change(
        number, name or query, lambda message: message.aimed_at(f"{message.target}?{query}")
    )


def _aim(number: int, name: str, old: str, new: str) -> InvalidRequest:
    return _change(number, name, lambda message: message.aimed_at(message.target.replace(old, new)))


def _use_token(message: Message, token: str) -> Message:
    return message.setting("Authorization", f"Bearer {token}")


def _take_scope(message: Message, fixture: StoreFixture, route: Route) -> Message:
    assert route.scope is not None
    return _use_token(message, fixture.tokens_missing_scope[route.scope])


def _leave_store(message: Message, fixture: StoreFixture, route: Route) -> Message:
    if "{store}" in route.path:
        return message.aimed_at(message.target.replace(fixture.store, "nowhere"))
    return _use_token(message, fixture.non_member)


def _remove_owner(message: Message, fixture: StoreFixture, _route: Route) -> Message:
    owner = quote(f"owner of {fixture.store}")
    target = message.target.replace("/nobody", f"/{owner}")
    return replace(message.aimed_at(target).without("Content-Type"), method="DELETE", body=b"")


PATH = _change(40402, "path", lambda message: message.aimed_at(f"/nowhere{message.target}"))
METHOD = _change(40501, "method", lambda message: replace(message, method="PATCH"))
NO_TOKEN = _change(40101, "no token", lambda message: message.without("Authorization"))
BAD_TOKEN = _header(40102, "bad token", "Authorization", "Bearer pst_1_nonsense")
STORE = InvalidRequest(40403, _leave_store, "store")
PERMISSION = InvalidRequest(40301, _take_scope, "permission")
MEDIA_TYPE = _header(41501, "media type", "Content-Type", "text/plain")
SIZE = _body(41301, "size", b"[" * TOO_LARGE)
NOT_JSON = _body(40001, "not JSON", b'{"id": 2')
BAD_PLANT_ID = _aim(40009, "bad id", "/plants/1", "/plants/one")
BAD_LIMIT = _query(40005, "limit=-1")

FRAMING = (
    _change(40011, "no host", lambda message: message.without("Host")),
    _change(40011, "two hosts", lambda message: message.adding("Host", "other")),
    _query(41401, "x" * 8192, "long target"),
    _header(43101, "large head", "X-Large", "x" * 16384),
    _change(
        43101,
        "many headers",
        lambda message: replace(message, headers=message.headers + (("X-Many", "1"),) * 101),
    ),
)
BEARERS = (NO_TOKEN, BAD_TOKEN, STORE)
CALLERS = (*BEARERS, PERMISSION)
OF_LISTS = (
    BAD_LIMIT,
    _query(40006, "after=7"),
    _query(40007, "include=colour"),
    _query(40008, "tag="),
    _query(40012, "&".join(["x"] * 51), "many parameters"),
)
OF_EVENTS = (
    _query(40005, "limit=1001"),
    _query(40006, "after=-1"),
    _query(40006, "after=1&after=1"),
    _query(40012, "&".join(["x"] * 51), "many parameters"),
)
NO_PRECONDITION = _header(41202, "precondition", "If-None-Match", "*")
OF_CREATES = (
    NO_PRECONDITION,
    MEDIA_TYPE,
    SIZE,
    NOT_JSON,
    _body(40002, "no name", b'{"id": 2}'),
    _body(40003, "taken id", b'{"id": 1, "name": "Other"}'),
    _body(40004, "known plant", PLANT),
    _header(40010, "bad key", "Idempotency-Key", "x" * 256),
    _header(42201, "used key", "Idempotency-Key", "used"),
)
OF_PLANTS = (
    BAD_PLANT_ID,
    _aim(40401, "no such plant", "/plants/1", "/plants/7"),
    _header(41201, "another plant", "If-Match", '"0123456789abcdef"'),
)
OF_CHANGES = (
    *(MEDIA_TYPE, SIZE, NOT_JSON),
    _body(40014, "no object", b"[]"),
    _body(40014, "nothing", b"{}"),
)
OF_MEMBERS = (
    _aim(40014, "bad name", "/nobody", "/%00"),
    InvalidRequest(40901, _remove_owner, "last owner"),
    _change(
        40404,
        "no member",
        lambda message: replace(message.without("Content-Type"), method="DELETE", body=b""),
    ),
)
BAD_CODE = _body(40406, "no code", b'{"code": "psl_1_nonsense"}')
NO_SUCH_TOKEN = _change(40405, "no such token", lambda message: message)
OF_UPDATES = (
    *(MEDIA_TYPE, SIZE, NOT_JSON),
    _body(40002, "no name", b"{}"),
    _body(40002, "another id", b'{"id": 2, "name": "Fern"}'),
)
