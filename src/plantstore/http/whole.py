"""Writes a whole answer to its connection at once, past ASGI's two messages.

Those come to two writes, and uvicorn looks at each header by itself. Invariant: what is sent, and
the state of uvicorn's cycle afterwards, are the same as after the two messages.
"""

from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

from plantstore.http.answers import Answer, Headers


def write_whole(send: Any, answer: Answer, extra: Headers) -> bool:  # noqa: ANN401 - ASGI's
    """Write the answer with these extra headers; False where ``send`` must do it."""
    cycle = getattr(send, "__self__", None)  # uvicorn's is a method of its cycle
    if not isinstance(cycle, RequestResponseCycle):
        return False
    if cycle.flow.write_paused or cycle.disconnected:
        return False
    headers = [*cycle.default_headers, *answer.headers, *extra]
    if not cycle.keep_alive:
        headers.append((b"connection", b"close"))
    head = b"".join([b"%s: %s\r\n" % header for header in headers])
    if head.count(b"\n") != len(headers):
        raise ValueError("a header holds the end of a line")
    body = b"" if cycle.scope["method"] == "HEAD" else answer.body
    cycle.response_started = cycle.response_complete = True
    cycle.waiting_for_100_continue = False
    cycle.transport.write(b"%s%s\r\n%s" % (STATUS_LINE[answer.status], head, body))
    cycle.message_event.set()
    if not cycle.keep_alive:
        cycle.transport.close()
    cycle.on_response()
    return True
