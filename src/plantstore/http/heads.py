"""The bounds of a request's head, and the headers that it has exactly once."""

from plantstore.http.errors import HeadTooLargeError, MalformedRequestError, TargetTooLongError

HEAD_MAX = 16 * 1024
HEADERS_MAX = 100
TARGET_MAX = 8 * 1024
# Those that decide about the request: of two, a proxy before us may have looked at the other.
SINGLE_HEADERS = (
    b"host",
    b"authorization",
    b"content-type",
    b"content-length",
    b"transfer-encoding",
    b"idempotency-key",
)
_REQUEST_LINE_REST = len("GET  HTTP/1.1\r\n")

HeaderList = list[tuple[bytes, bytes]]


def check_head(target: bytes, headers: HeaderList, version: str, most: int) -> None:
    """Refuse a head that is too large or not well-formed; it has at most ``most`` bytes.

    :raises PlantStoreError: which of the rules it breaks.
    """
    if len(target) > TARGET_MAX:
        raise TargetTooLongError
    # Only the exact sum tells, but few heads can be that large at all.
    if len(headers) > HEADERS_MAX or (most > HEAD_MAX and _size(target, headers) > HEAD_MAX):
        raise HeadTooLargeError
    distinct = dict(headers)
    if len(distinct) < len(headers):
        _check_single(headers)
    if b"host" not in distinct and version != "1.0":
        raise MalformedRequestError(fault="it has no Host header")
    if b"transfer-encoding" in distinct:
        _check_coding(distinct[b"transfer-encoding"], version)


def without_upgrade(headers: HeaderList) -> HeaderList:
    """The headers without the wish for another protocol, but with one for the connection's end."""
    kept = []
    for name, value in headers:
        if name == b"connection":
            options = [option.strip() for option in value.lower().split(b",")]
            kept += [(name, option) for option in options if option in (b"close", b"keep-alive")]
        elif name != b"upgrade":
            kept.append((name, value))
    return kept


def make_head(method: bytes, target: bytes, version: bytes, headers: HeaderList) -> bytes:
    """The bytes of a head."""
    lines = b"".join(b"%s: %s\r\n" % header for header in headers)
    return b"%s %s HTTP/%s\r\n%s\r\n" % (method, target, version, lines)


def _check_single(headers: HeaderList) -> None:
    names = [name for name, _ in headers]
    for name in SINGLE_HEADERS:
        if names.count(name) > 1:
            raise MalformedRequestError(fault=f"it has the header {name.decode()} twice")


def _check_coding(coding: bytes, version: str) -> None:
    """Refuse what a proxy before us may have read as a body of another length."""
    if version < "1.1":
        raise MalformedRequestError(fault=f"HTTP/{version} has no Transfer-Encoding")
    if coding.strip().lower() != b"chunked":
        raise MalformedRequestError(fault="its Transfer-Encoding is not chunked alone")


def _size(target: bytes, headers: HeaderList) -> int:
    lines = sum(len(name) + len(value) + len(": \r\n") for name, value in headers)
    return len(target) + _REQUEST_LINE_REST + lines + len("\r\n")
