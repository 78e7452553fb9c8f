"""Header lines that differ from request to request but decide nothing: ids, traces, addresses.

Proxies add them. Without them, a head has the bytes of an earlier one, which are looked up instead
of parsed. What the lines say is read from the head where something asks for it.

Invariant: only complete lines that the parser would accept are left out.
"""

import re

from plantstore.server.request_ids import ID_FORM

REQUEST_ID = b"x-request-id"
# The others, in any of the usual spellings; a line with another one is parsed.
_OTHERS = (
    *(b"x-forwarded-for", b"x-real-ip", b"x-correlation-id", b"x-amzn-trace-id"),
    *(b"x-cloud-trace-context", b"x-b3-traceid", b"x-b3-spanid"),
    *(b"traceparent", b"tracestate", b"baggage", b"b3", b"sentry-trace", b"cf-ray", b"request-id"),
)
NAMES = frozenset((REQUEST_ID, *_OTHERS))
MAX_LINES = 16


def _spell(*names: bytes) -> bytes:
    spellings = {spelling for name in names for spelling in (name, name.title())}
    for short in (b"Id", b"Ip", b"Cf", b"Ray"):
        word = re.compile(rb"\b%s\b" % short)
        spellings |= {word.sub(short.upper(), spelling) for spelling in spellings}
    return b"|".join(sorted(spellings))


# If what follows is not another line, it is left in place, and no known head has it.
_LINE = re.compile(
    rb"\r\n(?:(?:%s):[\t ]*(%s)[\t ]*|(?:%s):[^\x00-\x08\x0a-\x1f\x7f]*)"
    % (_spell(REQUEST_ID), ID_FORM, _spell(*_OTHERS, b"X-B3-TraceId", b"X-B3-SpanId"))
)


def leave_out(lines: bytes) -> tuple[bytes, bytes]:
    """The header lines, each after its line end, without these; and the request's own id.

    The id is empty where there is none, or more than one.
    """
    parts = _LINE.split(lines)
    if len(parts) == 1 or len(parts) > 2 * MAX_LINES:
        return lines, b""
    ids = list(filter(None, parts[1::2]))
    return b"".join(parts[::2]), ids[0] if len(ids) == 1 else b""


def read_line(lines: bytes, name: bytes) -> bytes:
    """The value of a header in these lines, joined by commas where it is repeated."""
    values = []
    for line in lines.split(b"\r\n"):
        key, _, value = line.partition(b":")
        if key.lower() == name:
            values.append(value.strip(b"\t "))
    return b", ".join(values)
