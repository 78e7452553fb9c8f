"""The routes of access, and their invalid requests."""

from urllib.parse import quote

from plantstore.core.model import Scope
from tests.http.fixtures import BASES, COLLECTION, PLANT_ALLOWS, READ, Route, StoreFixture
from tests.http.invalid_requests import (
    MEDIA_TYPE,
    NO_PRECONDITION,
    NOT_JSON,
    SIZE,
    InvalidRequest,
    changing,
    with_body,
    with_header,
    with_target,
)
from tests.http.raw import Message

_ONE = "GET, HEAD, DELETE, OPTIONS"
_NO_SUCH = {"/members/nobody": 40404, "/tokens/1": 40405, "/links/1": 40407}
_OF_STORES = tuple(
    Route(method, f"{base}{path}", allow, Scope.MANAGE, body=body, status=status)
    for base in BASES
    for methods, path, allow, body, status in (
        (("GET", "HEAD"), "/members", READ, b"", 200),
        (("GET", "HEAD", "DELETE"), "/members/nobody", PLANT_ALLOWS, b"", 404),
        (("PUT",), "/members/nobody", PLANT_ALLOWS, b'{"role": "reader"}', 200),
        (("GET", "HEAD"), "/tokens", COLLECTION, b"", 200),
        (("POST",), "/tokens", COLLECTION, b'{"user": "nobody"}', 200),
        (("GET", "HEAD", "DELETE"), "/tokens/1", _ONE, b"", 404),
        (("GET", "HEAD"), "/links", COLLECTION, b"", 200),
        (("POST",), "/links", COLLECTION, b'{"user": "nobody"}', 200),
        (("GET", "HEAD", "DELETE"), "/links/1", _ONE, b"", 404),
    )
    for method in methods
)
_LINK = Route("POST", "/links/redeem", "POST, OPTIONS", needs_token=False, body=b'{"code": "none"}')
ROUTES = (*_OF_STORES, _LINK)
_CHANGES = [route for route in _OF_STORES if route.method in ("PUT", "POST", "DELETE")]


def _aim_at_owner(message: Message, fixture: StoreFixture, _route: Route) -> Message:
    owner = quote(f"owner of {fixture.store}")
    return message.with_target(message.target.replace("/nobody", f"/{owner}"))


_OF_BODIES = (
    *(MEDIA_TYPE, SIZE, NOT_JSON),
    with_body(40014, "no object", b"[]"),
    with_body(40014, "nothing", b"{}"),
)
INVALID = (
    ([route for route in ROUTES if route.body], _OF_BODIES),
    ((_LINK,), (with_body(40406, "no code", b'{"code": "psl_1_nonsense"}'),)),
    (_CHANGES, (NO_PRECONDITION,)),
    (
        [route for route in ROUTES if route.method == "POST"],
        (with_header(40010, "key", "Idempotency-Key", "key"),),
    ),
    (
        [route for route in ROUTES if "nobody" in route.path],
        (with_target(40014, "bad name", "/nobody", "/%00"),),
    ),
    (
        [route for route in _CHANGES if "nobody" in route.path],
        (InvalidRequest(40901, _aim_at_owner, "last owner"),),
    ),
    *(
        (
            [route for route in ROUTES if route.path.endswith(path) and not route.body],
            (changing(number, "no such", lambda message: message),),
        )
        for path, number in _NO_SUCH.items()
    ),
)
