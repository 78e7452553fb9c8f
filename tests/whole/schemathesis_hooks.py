"""Hooks for schemathesis, which loads this module in its own environment.

They insert values that no document can express: the token's store and its members, a valid token
and code, an existing revision, a future time, unused ids and keys, and a precondition that is met.
Invalid values stay unchanged.
"""

import functools
import itertools
import json
import os
import re
import urllib.parse
import urllib.request
from typing import Any

import schemathesis  # type: ignore[import-not-found]  # installed in another environment

ORIGIN, TOKEN = os.environ["TEST_ORIGIN"], os.environ["TEST_TOKEN"]
STORE = os.environ["TEST_STORE"]
USER = os.environ["TEST_USER"]
_STORE_NAME = re.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
USER_MAX = 255
LATER = "2099-12-31T00:00:00Z"
_TIME = re.compile(r"[0-9-]{10}[Tt ][0-9:.]+([Zz]|[+-][0-9:]{5})")
_PLAIN_USER = re.compile(r"[\w@.-]{1,255}")  # however it is encoded in a path
_TOKEN_ID = re.compile("[0-9a-f]{16}")
_KEY = re.compile("[!-~]([ -~]{0,253}[!-~])?")
_numbers = itertools.count(1000)  # the examples of many changes have the first ids


@schemathesis.serializer("application/x-ndjson", "text/csv")  # type: ignore[untyped-decorator]
def write_lines(_context: object, value: object) -> bytes:
    """The body of a request with many changes; its schema is a string."""
    return value if isinstance(value, bytes) else str(value).encode(errors="replace")


@schemathesis.hook  # type: ignore[untyped-decorator]
def before_call(_context: object, case: Any, _arguments: object) -> None:  # noqa: ANN401 - schemathesis' type
    if _STORE_NAME.fullmatch(str((case.path_parameters or {}).get("store"))):
        case.path_parameters["store"] = STORE
    if "If-Match" in (case.headers or {}):
        case.headers["If-Match"] = "*"
    if case.path.endswith("/tokens/{id}") and _TOKEN_ID.fullmatch(str(case.path_parameters["id"])):
        case.path_parameters["id"] = make_token()["id"]  # it may be revoked again
    if case.method in ("GET", "DELETE") and _PLAIN_USER.fullmatch(
        str((case.path_parameters or {}).get("user", ""))
    ):
        case.path_parameters["user"] = add_member()
    after = (case.query or {}).get("after")
    if case.path.endswith("/events") and type(after) is int and 0 <= after < 2**53:
        case.query["after"] = 0
    if case.method == "POST":
        change_post(case)


def change_post(case: Any) -> None:  # noqa: ANN401 - schemathesis' type
    if (
        case.path == "/links/redeem"
        and isinstance(case.body, dict)
        and isinstance(case.body.get("code"), str)
    ):
        case.body["code"] = make("links")["code"]
    if isinstance(case.body, dict) and is_member_like(case.body):
        case.body["user"] = USER
        if _TIME.fullmatch(str(case.body.get("expires_at"))):
            case.body["expires_at"] = LATER
    if isinstance(case.body, dict) and is_int64(case.body.get("id")):
        case.body["id"] = next(_numbers)
    if case.path.endswith("/changes"):
        # Otherwise one refused line would refuse the request.
        (case.query or {}).pop("atomic", None)
    is_lines = case.media_type in ("application/x-ndjson", "text/csv")
    if is_lines and not isinstance(case.body, str):
        case.media_type = "application/json"  # lines are text: another body is sent as invalid JSON
        case.headers["Content-Type"] = "application/json"
    elif is_lines:
        (case.headers or {}).pop("Idempotency-Key", None)  # refused unless the changes are atomic
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and _KEY.fullmatch(key):
        case.headers["Idempotency-Key"] = f"{next(_numbers)} {key}"[:255].rstrip()


def make(collection: str) -> Any:  # noqa: ANN401 - JSON
    return send("POST", collection, {"user": USER})


def add_member() -> str:
    name = f"member {next(_numbers)}"
    send("PUT", f"members/{urllib.parse.quote(name)}", {"role": "reader"})
    return name


def send(method: str, path: str, body: dict[str, str]) -> Any:  # noqa: ANN401 - JSON
    """The body of the response to a request of the owner."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    request = urllib.request.Request(  # noqa: S310 - it is HTTP
        f"{ORIGIN}/{path}", json.dumps(body).encode(), headers, method=method
    )
    with urllib.request.urlopen(request) as response:  # noqa: S310 - as above
        return json.load(response)


make_token = functools.cache(lambda: make("tokens"))


def is_member_like(body: dict[str, Any]) -> bool:
    user = body.get("user")
    return isinstance(user, str) and 1 <= len(user) <= USER_MAX


def is_int64(value: object) -> bool:
    """Whether JSON Schema takes the value for an int64. It takes 1.0, which we do not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return value % 1 == 0 and -(2**63) <= value < 2**63
