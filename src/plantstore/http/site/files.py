"""Serves the pages, their files and the interface's documents.

A page's policy lets it load nothing else. The files are made when the package is built, and all are
read at the start: installing another version changes nothing in a running process. Only the
compressed form of a file is kept: nearly every client accepts gzip. The first that does not has it
decompressed, in less than a millisecond.

The documents' server is relative to their own address, or the setting ``public_url``: nothing is
taken from a request, whose Host and forwarded headers anybody may set.
"""

import zlib
from collections.abc import Awaitable, Callable, Iterator
from functools import cache, partial
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from plantstore.http.accept import read_weights
from plantstore.http.responses import header_line, is_current, make_response
from plantstore.server.messages import HeaderLines, Request, Response

Read = Callable[[Request], Awaitable[Response]]

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
_BUILT = Path(__file__).parents[2] / "built" / "site.msgpack"
_SERVER = "."  # in the documents as they are built
HASH_LENGTH = 12
_GZIP = 31  # zlib's number for the largest window, with gzip's head and check


class File(Struct, frozen=True):
    """What is served: its media type, its content compressed by gzip, and the content's hash."""

    media_type: str
    compressed: bytes
    version: str

    def decompress(self) -> bytes:
        """The content itself, the same object each time: many responses may share it."""
        return _decompress(self.compressed)


@cache
def _decompress(compressed: bytes) -> bytes:
    return zlib.decompress(compressed, _GZIP)


def make_file(media_type: str, content: bytes) -> File:
    """A file with this content; the result is deterministic."""
    version = sha256(content).hexdigest()[:HASH_LENGTH]
    return File(media_type, zlib.compress(content, 9, _GZIP), version)


def read_site(server: str) -> Iterator[tuple[str, str, Read]]:
    """Each file's path, the path's pattern, and its operation; ``server`` is the documents'."""
    files = msgspec.msgpack.decode(_BUILT.read_bytes(), type=dict[str, File])
    for path, file in files.items():
        if path.startswith("/static/"):
            yield path, "/static/{file}", partial(_respond, file, _FOREVER + _SAFE)
        elif path.startswith("/openapi."):
            yield path, path, partial(_respond, _name_server(file, server), _REVALIDATE)
        else:
            yield path, path, partial(_respond, file, _PAGE)


def _name_server(file: File, server: str) -> File:
    """The document with this server."""
    if server == _SERVER:
        return file
    built, named = map(msgspec.json.encode, (_SERVER, server))  # a string of JSON is one of YAML
    return make_file(file.media_type, file.decompress().replace(built, named, 1))


async def _respond(file: File, headers: HeaderLines, request: Request) -> Response:
    """The file, compressed for a client that takes gzip; 304 if the client has it already."""
    etag = b'W/"%s"' % file.version.encode()  # weak: it names the file, compressed or not
    headers = header_line("ETag", etag) + b"Vary: Accept-Encoding\r\n" + headers
    if is_current(etag, request.headers.get(b"if-none-match")):
        return make_response(304, headers)
    headers += header_line("Content-Type", file.media_type.encode())
    content = file.compressed
    if read_weights(request.headers.get(b"accept-encoding", b"")).get(b"gzip"):
        headers += b"Content-Encoding: gzip\r\n"
    else:
        content = file.decompress()
    return replace(make_response(200, headers, content), is_shared=True)
