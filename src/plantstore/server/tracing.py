"""Omits header lines that only identify or trace a request: ids, keys, traces, addresses.

They differ in each request. Without them, a head equals an earlier one, so it is looked up instead
of parsed. The ids and keys are read at once, the other values on demand. A request without an id
gets one of ours.

Invariant: only complete lines that the parser would accept are omitted. A request's id has no
character that could end a header line, or a part of a log line.
"""

import itertools
import os
import re

MAX_HEADERS = 100
MAX_LINES = 16
_MAX_KEPT = 2048  # bytes kept per connection
REQUEST_ID = b"x-request-id"
IDEMPOTENCY_KEY = b"idempotency-key"
_OTHERS = (  # the most usual ones first: they are tried in this order
    *(b"traceparent", b"x-forwarded-for", b"x-real-ip", b"x-correlation-id", b"x-amzn-trace-id"),
    *(b"x-cloud-trace-context", b"x-b3-traceid", b"x-b3-spanid"),
    *(b"tracestate", b"baggage", b"b3", b"sentry-trace", b"cf-ray", b"request-id"),
)
NAMES = frozenset((REQUEST_ID, IDEMPOTENCY_KEY, *_OTHERS))

# A line is removed up to its end, so that two lines are never joined. No known head has a line that
# begins with a space. Checking the first letter first takes half the time.
_VALUE = rb"[^\x00-\x08\x0a-\x1f\x7f]*+"
_LINE = re.compile(
    rb"\r\n(?=[%s])(?:%s:(%s)|%s:(%s)|(?:%s):%s)(?=\r\n|\Z)"
    % (
        *(bytes({name[0] for name in NAMES}), REQUEST_ID, _VALUE, IDEMPOTENCY_KEY, _VALUE),
        *(b"|".join(_OTHERS), _VALUE),
    ),
    re.IGNORECASE,
)
_OWN_ID = re.compile(rb"[A-Za-z0-9._~:/+=-]{1,128}")
# Lines as most programs write them, with at most one id and one key: the groups. This takes half
# the time.
_USUAL_LINES = re.compile(
    rb"(?:\r\n(?:[Xx]-(?i:request-id): (?(1)(?!))(%s)|(?i:%s): (?(2)(?!))([!-~]++)"
    rb"|(?i:%s): [ -~]*+)){1,%d}+"
    % (_OWN_ID.pattern, IDEMPOTENCY_KEY, b"|".join(_OTHERS), MAX_LINES - 1)
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

    def leave_out(self, head: bytes) -> tuple[bytes, bytes, bytes | None]:
        """The head, or its lines, without the tracing lines; the request's id and idempotency key.

        The id is empty if there is none, or more than one. If there are too many lines, or several
        keys, the result is empty, unlike any head: counting all lines would take longer.
        """
        before, after = self._before, self._after
        begin, end = len(before), len(head) - len(after)
        if begin < end and head[:begin] == before and head[end:] == after:
            lines = _USUAL_LINES.fullmatch(head, begin, end)
            if lines is not None:
                return self._head, lines[1] or b"", lines[2]
        if head.count(b"\r\n") > MAX_HEADERS + 3:  # also of the first line and the end
            return b"", b"", None
        parts = _LINE.split(head)  # each is followed by an id and a key, or None
        self.is_expected = len(parts) > 1
        if not self.is_expected:
            return head, b"", None
        ids, keys = ([value for value in parts[n::3] if value is not None] for n in (1, 2))
        if len(parts) > 3 * MAX_LINES or len(keys) > 1:
            return b"", b"", None
        kept = b"".join(parts[::3])
        if len(parts[0]) + len(parts[-1]) == len(kept) <= _MAX_KEPT:
            self._before, self._after, self._head = parts[0], parts[-1], kept
        own_id = read_id(ids[0].strip(b"\t ")) if len(ids) == 1 else b""
        return kept, own_id, keys[0].strip(b"\t ") if keys else None


def read_line(lines: bytes, name: bytes) -> bytes:
    """The value of a header in these lines, joined by commas if the header is repeated."""
    parts = (line.partition(b":") for line in lines.split(b"\r\n"))
    return b", ".join(value.strip(b"\t ") for key, _, value in parts if key.lower() == name)
