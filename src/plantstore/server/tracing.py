"""Header lines that differ from request to request but decide nothing: ids, traces, addresses.

Proxies add them. Without them, a head has the bytes of an earlier one, which are looked up instead
of parsed. What the lines say is read from the head where something asks for it. A request without
an id of its own gets one of ours.

Invariant: only complete lines that the parser would accept are left out. A request's id has no
character that could end a header line, or part of a log line.
"""

import itertools
import os
import re

MAX_LINES = 16
REQUEST_ID = b"x-request-id"
_OTHERS = (
    *(b"x-forwarded-for", b"x-real-ip", b"x-correlation-id", b"x-amzn-trace-id"),
    *(b"x-cloud-trace-context", b"x-b3-traceid", b"x-b3-spanid"),
    *(b"traceparent", b"tracestate", b"baggage", b"b3", b"sentry-trace", b"cf-ray", b"request-id"),
)
NAMES = frozenset((REQUEST_ID, *_OTHERS))

# A line is left out up to its end, so that no line is put together from two. If the next one begins
# with a space, no known head has it. To look at the first letter first takes half the time.
_VALUE = rb"[^\x00-\x08\x0a-\x1f\x7f]*"
_LINE = re.compile(
    rb"\r\n(?=[%s])(?:%s:(%s)|(?:%s):%s)(?=\r\n)"
    % (bytes({name[0] for name in NAMES}), REQUEST_ID, _VALUE, b"|".join(_OTHERS), _VALUE),
    re.IGNORECASE,
)
_OWN_ID = re.compile(rb"[A-Za-z0-9._~:/+=-]{1,128}")


class RequestIds:
    """The ids of a process: a random ``prefix``, so that those of two never meet, and a number."""

    def __init__(self) -> None:
        self.prefix = f"{os.urandom(6).hex()}-".encode()
        numbers = itertools.count(1)
        self.next_number = numbers.__next__
        # A function of Python's takes longer.
        self.next_id = map((self.prefix + b"%x").__mod__, numbers).__next__


def read_id(value: bytes) -> bytes:
    """The client's id; empty where it has another form, or there is none."""
    return value if _OWN_ID.fullmatch(value) else b""


def leave_out(lines: bytes) -> tuple[bytes, bytes]:
    """The header lines, each after its line end, without these; and the request's own id.

    The id is empty where there is none, or more than one. Of too many lines nothing is left, which
    no head has: to count all header lines would take longer.
    """
    parts = _LINE.split(lines)
    if len(parts) == 1:
        return lines, b""
    if len(parts) > 2 * MAX_LINES:
        return b"", b""
    ids = [value for value in parts[1::2] if value is not None]
    return b"".join(parts[::2]), read_id(ids[0].strip(b"\t ")) if len(ids) == 1 else b""


def read_line(lines: bytes, name: bytes) -> bytes:
    """The value of a header in these lines, joined by commas where it is repeated."""
    values = []
    for line in lines.split(b"\r\n"):
        key, _, value = line.partition(b":")
        if key.lower() == name:
            values.append(value.strip(b"\t "))
    return b", ".join(values)
