"""The routes of webhooks, and the requests that are invalid there."""

from plantstore.core.model import Scope
from tests.http.fixtures import BASES, COLLECTION, PLANT_ALLOWS, READ, Route
from tests.http.invalid_requests import (
    MEDIA_TYPE,
    NO_PRECONDITION,
    NOT_JSON,
    SIZE,
    changing,
    with_body,
    with_header,
)

_BODY = b'{"url": "https://plants.invalid/hook", "paused": true}'
_POST = "POST, OPTIONS"
ROUTES = tuple(
    Route(method, f"{base}/webhooks{path}", allow, Scope.MANAGE, body=body, status=status)
    for base in BASES
    for methods, path, allow, body, status in (
        (("GET", "HEAD"), "", COLLECTION, b"", 200),
        (("POST",), "", COLLECTION, _BODY, 200),
        (("GET", "HEAD", "DELETE"), "/1", PLANT_ALLOWS, b"", 404),
        (("PUT",), "/1", PLANT_ALLOWS, _BODY, 404),
        (("POST",), "/1/rotate", _POST, b"", 404),
        (("POST",), "/1/test", _POST, b"", 404),
        (("GET", "HEAD"), "/1/deliveries", READ, b"", 404),
        (("POST",), "/1/deliveries/2/redeliver", _POST, b"", 404),
    )
    for method in methods
)
_WITH_BODY = [route for route in ROUTES if route.body]
_OF_BODIES = (
    *(MEDIA_TYPE, SIZE, NOT_JSON),
    with_body(40014, "nothing", b"{}"),
    with_body(40014, "no kind", b'{"url": "https://a.invalid", "events": ["plant.eaten"]}'),
)
_BAD_TARGETS = tuple(
    with_body(40014, text, f'{{"url": "https://a.invalid", {text}}}'.encode())
    for text in ('"description": "\\n"', '"tag": "\\u0000"', '"url": "ftp://a"', '"url": "x#y"')
)
INVALID = (
    (_WITH_BODY, _OF_BODIES),
    ([route for route in _WITH_BODY if route.method == "POST"], _BAD_TARGETS),
    (
        [route for route in _WITH_BODY if route.method == "POST"],
        (with_header(40010, "key", "Idempotency-Key", "key"),),
    ),
    ([route for route in ROUTES if route.method not in ("GET", "HEAD")], (NO_PRECONDITION,)),
    (
        [route for route in ROUTES if "/1" in route.path and not route.body],
        (changing(40408, "no such", lambda message: message),),
    ),
)
