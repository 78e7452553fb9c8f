"""Serves the web pages and their files, under a policy that lets them load nothing else.

The interface's document is one of the files. Each is made on first use, and kept. Making it takes
up to 0.3 s (imports, and the reference): that happens in another thread, so that no other request
waits for it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache, partial

from msgspec.structs import replace

from plantstore.http.accept import read_weights
from plantstore.http.errors import TABLE
from plantstore.http.responses import header_line, is_current, make_response
from plantstore.http.site.openapi import make_json, make_yaml, parse_document, read_document
from plantstore.server.messages import HeaderLines, Request, Response
from plantstore.web.assets import File, find_asset
from plantstore.web.pages import make_docs, make_index

Read = Callable[[Request], Awaitable[Response]]

REVALIDATE = b"Cache-Control: no-cache\r\n"
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


class Site:
    """All files; ``server`` is the address that the interface's document names."""

    def __init__(self, server: str) -> None:
        page = REVALIDATE + header_line("Content-Security-Policy", _POLICY) + _SAFE
        self._files: dict[bytes, tuple[Callable[[], File], HeaderLines]] = {
            b"/": (_make_index, page),
            b"/docs": (_make_docs, page),
            b"/openapi.json": (partial(make_json, server), REVALIDATE),
            b"/openapi.yaml": (partial(make_yaml, server), REVALIDATE),
        }

    async def find(self, path: bytes) -> Read | None:
        """The operation that reads the file at this path, if there is one."""
        make: Callable[[], File | None]
        if path in self._files:
            make, headers = self._files[path]
        elif path.startswith(b"/static/"):
            make, headers = partial(find_asset, path[1:].decode("latin-1")), _FOREVER + _SAFE
        else:
            return None
        file = await asyncio.to_thread(make)
        return None if file is None else partial(_respond, file, headers)


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


_make_index = cache(make_index)


@cache
def _make_docs() -> File:
    from plantstore.http.site.remedies import REMEDIES  # noqa: PLC0415 - only this page has them

    return make_docs(parse_document(read_document()), TABLE, REMEDIES)
