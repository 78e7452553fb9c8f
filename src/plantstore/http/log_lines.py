"""The fields of log lines about a request.

Invariant: they contain no token, no body, and no path as it was sent.
"""

import re

from plantstore.core.model import Caller
from plantstore.server.messages import Request

# W3C Trace Context: version, trace, parent, flags. Only versions after 00 may have more.
_TRACE = re.compile(
    rb"(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?"
)


def describe_request(request: Request, address: str) -> dict[str, object]:
    """The request's origin, method and route; ``address`` is the client's."""
    fields: dict[str, object] = {
        "address": address,
        "request_id": request.id.decode(),
        "method": request.method,
        "route": request.route or "-",
    }
    if trace := _TRACE.fullmatch(request.read_tracing(b"traceparent")):
        fields["trace_id"] = trace[1].decode()
    return fields


def describe_caller(request: Request) -> dict[str, object]:
    """Who sent the request, by numbers and the token's id, if known."""
    caller: Caller | None = request.caller
    if caller is None:
        return {}
    return {"store_id": caller.store_id, "user_id": caller.user_id, "token_id": caller.token_id}
