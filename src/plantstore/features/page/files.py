"""Serves the built files of pages.

A page's policy lets it load nothing else. The files are made when the package is built, and all are
read at the start: installing another version does not affect a running process. Only the compressed
form of a file is kept, since nearly every client accepts gzip. For other clients it is
decompressed, in less than a millisecond.
"""

import zlib
from functools import cache
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from plantstore.http.responses import header_line, is_current, make_response, read_weights
from plantstore.server.messages import HeaderLines, Request, Response

_REVALIDATE = b"Cache-Control: no-cache\r\n"
_FOREVER = b"Cache-Control: public, max-age=31536000, immutable\r\n"
_POLICY = (
    b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    b"script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    b"require-trusted-types-for 'script'; trusted-types 'none'"
)
_SAFE = (
    b"Referrer-Policy: no-referrer\r\n"
    b"Cross-Origin-Opener-Policy: same-origin\r\n"
    b"Cross-Origin-Resource-Policy: same-origin\r\n"
)
_PAGE = _REVALIDATE + header_line("Content-Security-Policy", _POLICY) + _SAFE
_BUILT = Path(__file__).parents[2] / "built"
HASH_LENGTH = 12
STATIC = "/static/"
_GZIP = 31  # zlib's number for the largest window, with gzip's head and check


class File(Struct, frozen=True):
    """A served file: its media type, its content compressed by gzip, and the content's hash."""

    media_type: str
    compressed: bytes
    version: str


@cache
def decompress(file: File) -> bytes:
    """The content of a file, as one object that many responses share."""
    return zlib.decompress(file.compressed, _GZIP)


def make_file(media_type: str, content: bytes) -> File:
    """A file with this content; the result is deterministic."""
    version = sha256(content).hexdigest()[:HASH_LENGTH]
    return File(media_type, zlib.compress(content, 9, _GZIP), version)


def read_files(feature: str) -> dict[str, File]:
    """The files that were built for a feature, by path."""
    built = (_BUILT / f"{feature}.msgpack").read_bytes()
    return msgspec.msgpack.decode(built, type=dict[str, File])


def headers_of(path: str, file: File) -> HeaderLines:
    """The headers of a file at this path, except those that depend on its content."""
    if path.startswith(STATIC):
        return _FOREVER + _SAFE
    return _PAGE if file.media_type.startswith("text/html") else _REVALIDATE


async def respond(file: File, headers: HeaderLines, request: Request) -> Response:
    """The file, compressed if the client accepts gzip; 304 if the client already has it."""
    etag = b'W/"%s"' % file.version.encode()  # weak: the same for the file compressed or not
    headers = header_line("ETag", etag) + b"Vary: Accept-Encoding\r\n" + headers
    if is_current(etag, request.headers.get(b"if-none-match")):
        return make_response(304, headers)
    headers += header_line("Content-Type", file.media_type.encode())
    content = file.compressed
    if read_weights(request.headers.get(b"accept-encoding", b"")).get(b"gzip"):
        headers += b"Content-Encoding: gzip\r\n"
    else:
        content = decompress(file)
    return replace(make_response(200, headers, content), is_shared=True)
