"""Omits header lines that only identify or trace a request: ids, traces, addresses.

Proxies add these lines. Without them, a head equals an earlier one, so it is looked up instead of
parsed. Their values are read from the head on demand. A request without an id gets one of ours.

Invariant: only complete lines that the parser would accept are omitted. A request's id has no
character that could end a header line, or a part of a log line.
"""

import itertools
import os
import re

MAX_LINES = 16
_MAX_KEPT = 2048  # bytes kept per connection
REQUEST_ID = b"x-request-id"
_OTHERS = (  # the most usual ones first: they are tried in this order
    *(b"traceparent", b"x-forwarded-for", b"x-real-ip", b"x-correlation-id", b"x-amzn-trace-id"),
    *(b"x-cloud-trace-context", b"x-b3-traceid", b"x-b3-spanid"),
    *(b"tracestate", b"baggage", b"b3", b"sentry-trace", b"cf-ray", b"request-id"),
)
NAMES = frozenset((REQUEST_ID, *_OTHERS))

# A line is removed up to its end, so that two lines are never joined. No known head has a line that
# begins with a space. Checking the first letter first takes half the time.
_VALUE = rb"[^\x00-\x08\x0a-\x1f\x7f]*"
_LINE = re.compile(
    rb"\r\n(?=[%s])(?:%s:(%s)|(?:%s):%s)(?=\r\n|\Z)"
    % (bytes({name[0] for name in NAMES}), REQUEST_ID, _VALUE, b"|".join(_OTHERS), _VALUE),
    re.IGNORECASE,
)
_OWN_ID = re.compile(rb"[A-Za-z0-9._~:/+=-]{1,128}")
# Lines as most proxies write them, with at most one id, the group; this takes half the time.
_USUAL_LINES = re.compile(
    rb"(?:\r\n(?:[Xx]-(?i:request-id): (?(1)(?!))(%s)|(?i:%s): [ -~]*+)){1,%d}+"
    % (_OWN_ID.pattern, b"|".join(_OTHERS), MAX_LINES - 1)
)


class RequestIds:
    """Makes request ids: a random ``prefix``, which no other process has, and a number."""

    def __init__(self) -> None:
        self.prefix = f"{os.urandom(6).hex()}-".encode()
        self.numbers = itertools.count(1)
        # A Python function would take longer.
        self.ids = map((self.prefix + b"%x").__mod__, self.numbers)


def read_id(value: bytes) -> bytes:
    """The client's id; empty without an id, or if it is malformed."""
    return value if _OWN_ID.fullmatch(value) else b""


class TracingLines:
    """Omits these lines from a connection's heads.

    It first looks where the lines stood together in the previous head.
    """

    def __init__(self) -> None:
        self._before = self._after = self._head = b""
        self.is_expected = False  # the previous head had some

    def leave_out(self, head: bytes) -> tuple[bytes, bytes]:
        """The head, or its lines, without the tracing lines; and the request's own id.

        The id is empty if there is none, or more than one. If there are too many lines, the result
        is empty, unlike any head: counting all lines would take longer.
        """
        before, after = self._before, self._after
        begin, end = len(before), len(head) - len(after)
        if begin < end and head[:begin] == before and head[end:] == after:
            lines = _USUAL_LINES.fullmatch(head, begin, end)
            if lines is not None:
                return self._head, lines[1] or b""
        parts = _LINE.split(head)
        self.is_expected = len(parts) > 1
        if not self.is_expected:
            return head, b""
        if len(parts) > 2 * MAX_LINES:
            return b"", b""
        ids = [value for value in parts[1::2] if value is not None]
        kept = b"".join(parts[::2])
        if len(parts[0]) + len(parts[-1]) == len(kept) <= _MAX_KEPT:
            self._before, self._after, self._head = parts[0], parts[-1], kept
        return kept, read_id(ids[0].strip(b"\t ")) if len(ids) == 1 else b""


def read_line(lines: bytes, name: bytes) -> bytes:
    """The value of a header in these lines, joined by commas if the header is repeated."""
    values = []
    for line in lines.split(b"\r\n"):
        key, _, value = line.partition(b":")
        if key.lower() == name:
            values.append(value.strip(b"\t "))
    return b", ".join(values)
