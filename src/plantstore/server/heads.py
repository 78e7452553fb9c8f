"""Reads the heads of requests: httptools parses them; further checks are here.

Invariant: a head is never read differently from how a proxy in front may have read it. Header lines
that, byte for byte, passed every check before are looked up instead of parsed; lines that only
identify or trace the request (``tracing.py``) are not compared.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache

import httptools
from msgspec import Struct
from msgspec.structs import replace

from plantstore.core.errors import RequestError
from plantstore.server.messages import Request
from plantstore.server.tracing import (
    IDEMPOTENCY_KEY,
    MAX_HEADERS,
    MAX_LINES,
    NAMES,
    REQUEST_ID,
    TracingLines,
    read_id,
)

MAX_HEAD = 16 * 1024
MAX_KNOWN_HEAD = 4 * 1024  # to look up a longer one is not worth its price
MAX_TARGET = 8 * 1024

_END = b"\r\n\r\n"
_MAX_KNOWN_BYTES = 2**20
_MAX_KNOWN_LINES = 2048
_MAX_FIRST_LINE = 1024
_HTTP_1_1 = b"HTTP/1.1"
_VERSION_1_1 = b" HTTP/1.1"  # the end of a first line
_VERSIONS = (_HTTP_1_1, b"HTTP/1.0")
_VERSION = re.compile(rb" ([A-Z]+/[0-9]\.[0-9])$")
_METHOD_START = re.compile(rb"[\r\n]*[!#$%&'*+.^_`|~0-9A-Za-z-]+(?: |$)")
_HOST = re.compile(rb"(?:[\w.~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?", re.ASCII)
# Nearly all first lines match, and need no parser.
_FIRST_LINE = re.compile(
    rb"(GET|POST|DELETE|HEAD|PUT|OPTIONS) "
    rb"(/[\w.~!$&'()*+,;=:@%/-]*)(?:\?([\w.~!$&'()*+,;=:@%/?-]*))?"
)
# Headers that decide about the request: of two, a proxy in front may have used the other.
_SINGLE = (
    b"host authorization content-type content-length transfer-encoding idempotency-key".split()
)

CLOSE = b"Connection: close\r\n"


class Fields(Struct, frozen=True):
    """The parsed header lines; ``connection`` is the response's Connection line.

    ``takes_chunks`` says that the client speaks HTTP/1.1.
    """

    headers: Mapping[bytes, bytes]
    length: int
    is_chunked: bool
    expects_continue: bool
    takes_chunks: bool
    connection: bytes


# A request whose head passed every check, its parsed header lines, and the position of its end.
Head = tuple[Request, Fields, int]


class KnownLines:
    """Known header lines: after each ``_MAX_KNOWN_BYTES``, those not used since are removed."""

    def __init__(self) -> None:
        self._fields: dict[bytes, Fields] = {}
        self._older: dict[bytes, Fields] = {}
        self._used = 0

    def find(
        self, data: bytes, tracing: TracingLines, address: str = "", begin: int = 0
    ) -> Head | None:
        """The head that begins at this position, if its header lines are known."""
        end = data.find(_END, begin, begin + MAX_KNOWN_HEAD)
        target, version, lines = data[begin:end].partition(_VERSION_1_1)
        first_line = _read_first_line(target) if end >= 0 else None
        if first_line is None:
            return None
        own_id, key, all_lines = b"", None, b""
        fields = None if tracing.is_expected else self._fields.get(lines)
        if fields is None:
            known, own_id, key = tracing.leave_out(lines)
            fields = self._fields.get(known) or self._older.get(known)
            if fields is None:
                return None
            self._fields[known] = fields
            lines, all_lines = known, lines
        method, path, query = first_line
        headers = fields.headers if key is None else {**fields.headers, IDEMPOTENCY_KEY: key}
        request = Request(own_id, method, headers, path, query, address, lines=all_lines)
        if method == "GET" and not fields.length and not fields.connection:
            request.raw = target + version + lines + _END
        return request, fields, end + len(_END)

    def put(self, data: bytes, head: Head) -> None:
        """Store a head's lines, unless they are long or need special handling."""
        _, fields, end = head
        if end > MAX_KNOWN_HEAD:
            return
        target, _, all_lines = data.partition(_END)[0].partition(_VERSION_1_1)
        lines, *_ = TracingLines().leave_out(all_lines)
        headers = {n: value for n, value in fields.headers.items() if n not in NAMES}
        is_plain = _read_first_line(target) and not (fields.is_chunked or fields.expects_continue)
        # Even with all possible tracing lines, these are not too many.
        count = lines.count(b"\r\n")
        is_short = len(lines) <= _MAX_KNOWN_LINES and 0 < count <= MAX_HEADERS - MAX_LINES
        if is_plain and is_short and fields.takes_chunks:
            self._used += 2 * len(lines) + 1000  # twice: raw and parsed
            if self._used > _MAX_KNOWN_BYTES:
                self._older, self._fields = self._fields, {}
                self._used = 0
            self._fields[lines] = replace(fields, headers=headers)


@lru_cache(maxsize=500)
def _read_first_line(line: bytes) -> tuple[str, bytes, bytes] | None:
    """The method, path and query; None if the parser is needed, as for long lines."""
    parts = _FIRST_LINE.fullmatch(line) if len(line) <= _MAX_FIRST_LINE else None
    return None if parts is None else (parts[1].decode(), parts[2], parts[3] or b"")


class HeadParser:
    """Parses one head as it arrives; ``method`` and ``headers`` are those read so far."""

    def __init__(self) -> None:
        self.data = b""
        self.method = "GET"
        self.headers: dict[bytes, bytes] = {}
        self._target = b""
        self._names: list[bytes] = []
        self._parsed = 0
        self._is_complete = False
        self._parser = httptools.HttpRequestParser(self)

    @property
    def has_begun(self) -> bool:
        return bool(self.data.strip(b"\r\n"))

    def feed(self, data: bytes, address: str = "") -> Head | None:
        """Parse more; returns the head once it is complete; ``data`` then begins with the head.

        :raises RequestError: the head is not well-formed, or exceeds a limit.
        """
        self.data += data
        while not self._is_complete:
            begin = len(self.data) - len(self.data.lstrip(b"\r\n"))
            end = self.data.find(_END, max(self._parsed - len(_END) + 1, begin))
            stop = len(self.data) if end < 0 else end + len(_END)
            self._parse(self.data[self._parsed : min(stop, MAX_HEAD)])
            if stop > MAX_HEAD:
                raise RequestError(43101)
            self._parsed = stop
            if end < 0:
                return None
        self.close()
        version = _VERSION.search(self._first_line())
        if version is None:
            raise RequestError(40011, reason="its first line does not end with HTTP/1.1")
        if version[1] not in _VERSIONS:  # the parser accepts RTSP/1.1 as HTTP/1.1
            raise RequestError(50501)
        path, query = self._read_target()
        fields = self._read_fields(version[1])
        own_id = read_id(self.headers.get(REQUEST_ID, b""))
        request = Request(own_id, self.method, fields.headers, path, query, address)
        return request, fields, self._parsed

    def close(self) -> None:
        """Release the parser: the two refer to each other."""
        vars(self).pop("_parser", None)

    def _parse(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            pass  # no other protocol is supported: the upgrade is ignored
        except httptools.HttpParserError as error:
            self.close()
            raise self._explain(error) from None

    def _explain(self, error: Exception) -> RequestError:
        """The reason, in our words."""
        if isinstance(error.__context__, RequestError):
            return error.__context__
        if (version := _VERSION.search(self._first_line())) and version[1] not in _VERSIONS:
            return RequestError(50501)
        if not isinstance(error, httptools.HttpParserInvalidMethodError):
            where = f"header line {len(self._names) + 1}" if self.headers else "its beginning"
            return RequestError(40011, reason=f"{where} is not well-formed")
        if _METHOD_START.match(self.data):
            return RequestError(50101)
        return RequestError(40011, reason="it does not begin with a method")

    def _first_line(self) -> bytes:
        return self.data.lstrip(b"\r\n").partition(b"\r\n")[0]

    # The parser's events

    def on_url(self, url: bytes) -> None:
        self.method = self._parser.get_method().decode()
        self._target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        name, value = name.lower(), value.strip(b" \t")
        self._names.append(name)
        if len(self._names) > MAX_HEADERS:
            raise RequestError(43101)
        known = self.headers.get(name)
        self.headers[name] = value if known is None else known + b", " + value

    def on_headers_complete(self) -> None:
        self._is_complete = True

    # The checks

    def _read_target(self) -> tuple[bytes, bytes]:
        target = self._target
        if len(target) > MAX_TARGET:
            raise RequestError(41401)
        if target == b"*" and self.method == "OPTIONS":
            return target, b""
        if self.method == "CONNECT":
            raise RequestError(40011, reason="CONNECT is only for proxies")
        with suppress(httptools.HttpParserInvalidURLError):
            url = httptools.parse_url(target)
            path = url.path or (url.host and b"/")  # http://host is http://host/
            if path and (target.startswith(b"/") or url.host):
                return path, url.query or b""
        raise RequestError(40011, reason="its target is not a path, such as /plants")

    def _read_fields(self, version: bytes) -> Fields:
        headers = self.headers
        for name in _SINGLE if len(headers) < len(self._names) else ():
            if self._names.count(name) > 1:
                raise RequestError(40011, reason=f"it has the header {name.decode()} twice")
        takes_chunks = version == _HTTP_1_1
        if takes_chunks and b"host" not in headers:
            raise RequestError(40011, reason="it has no Host header")
        if not _HOST.fullmatch(headers.get(b"host", b"")):
            raise RequestError(40011, reason="its Host header does not name a host")
        coding = headers.get(b"transfer-encoding")
        if coding is not None and not takes_chunks:  # a proxy may have read it differently
            reason = f"Transfer-Encoding is not allowed in {version.decode()}"
            raise RequestError(40011, reason=reason)
        if coding is not None and coding.lower() != b"chunked":
            raise RequestError(40011, reason="its Transfer-Encoding must be chunked")
        # To split 15,000 commas takes 0.5 ms.
        options = b",%s," % headers.get(b"connection", b"").lower().translate(None, b" \t")
        return Fields(
            headers,
            # Below 2^64, as the parser checks, but maybe with more leading zeros than Python
            # accepts.
            int(headers.get(b"content-length", b"").lstrip(b"0") or b"0"),
            coding is not None,
            takes_chunks and headers.get(b"expect", b"").lower() == b"100-continue",
            takes_chunks,
            b"" if takes_chunks and b",close," not in options else CLOSE,
        )
