"""The routes of access, and the requests that are invalid there."""

from dataclasses import replace
from urllib.parse import quote

from plantstore.core.model import Scope
from tests.http.fixtures import BASES, COLLECTION, READ, Route, StoreFixture
from tests.http.invalid_requests import (
    MEDIA_TYPE,
    NO_PRECONDITION,
    NOT_JSON,
    SIZE,
    InvalidRequest,
    changing,
    with_body,
    with_target,
)
from tests.http.raw import Message

_OF_STORES = tuple(
    Route(method, f"{base}{path}", allow, Scope.MANAGE, body=body)
    for base in BASES
    for method, path, allow, body in (
        ("GET", "/members", READ, b""),
        ("HEAD", "/members", READ, b""),
        ("PUT", "/members/nobody", "PUT, DELETE, OPTIONS", b'{"role": "reader"}'),
        ("DELETE", "/members/nobody", "PUT, DELETE, OPTIONS", b""),
        ("GET", "/tokens", COLLECTION, b""),
        ("HEAD", "/tokens", COLLECTION, b""),
        ("POST", "/tokens", COLLECTION, b'{"user": "nobody"}'),
        ("GET", "/links", COLLECTION, b""),
        ("HEAD", "/links", COLLECTION, b""),
        ("DELETE", "/links/1", "DELETE, OPTIONS", b""),
        ("POST", "/links", COLLECTION, b'{"user": "nobody"}'),
        ("DELETE", "/tokens/1", "DELETE, OPTIONS", b""),
    )
)
_LINK = Route("POST", "/links/redeem", "POST, OPTIONS", needs_token=False, body=b'{"code": "none"}')
ROUTES = (*_OF_STORES, _LINK)


def _remove_owner(message: Message, fixture: StoreFixture, _route: Route) -> Message:
    owner = quote(f"owner of {fixture.store}")
    target = message.target.replace("/nobody", f"/{owner}")
    return replace(message.aimed_at(target).without("Content-Type"), method="DELETE", body=b"")


_OF_BODIES = (
    *(MEDIA_TYPE, SIZE, NOT_JSON),
    with_body(40014, "no object", b"[]"),
    with_body(40014, "nothing", b"{}"),
)
_OF_MEMBERS = (
    with_target(40014, "bad name", "/nobody", "/%00"),
    InvalidRequest(40901, _remove_owner, "last owner"),
    changing(
        40404,
        "no member",
        lambda message: replace(message.without("Content-Type"), method="DELETE", body=b""),
    ),
)
_NO_SUCH = {
    path: changing(number, "no such id", lambda message: message)
    for path, number in (("/tokens/1", 40405), ("/links/1", 40407))
}
INVALID = (
    ([route for route in ROUTES if route.body], _OF_BODIES),
    ((_LINK,), (with_body(40406, "no code", b'{"code": "psl_1_nonsense"}'),)),
    (
        [route for route in _OF_STORES if route.method in ("PUT", "POST", "DELETE")],
        (NO_PRECONDITION,),
    ),
    ([route for route in ROUTES if "nobody" in route.path], _OF_MEMBERS),
    *(
        ([route for route in ROUTES if route.path.endswith(path)], (refused,))
        for path, refused in _NO_SUCH.items()
    ),
)
