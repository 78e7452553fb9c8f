"""Serves the pages for people and their files, under a policy that lets them load nothing else.

What is served is made when it is first asked for, and kept. Making it takes up to 0.1 s (jinja2's
import, Swagger UI's compression): that happens in another thread, so that no request waits for it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache

from plantstore.http.answers import Answer, Headers, is_current
from plantstore.http.errors import TABLE
from plantstore.http.request import Request
from plantstore.web.assets import File, find_asset
from plantstore.web.pages import make_docs, make_errors, make_index

Read = Callable[[Request], Awaitable[Answer]]

ASK_AGAIN = (b"cache-control", b"no-cache")
_FOREVER = (b"cache-control", b"public, max-age=31536000, immutable")
_BARRED = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
_POLICY = (
    _BARRED + "script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
# Swagger UI writes HTML and has pictures in its styles; its scripts are still only ours.
_DOCS_POLICY = (
    _BARRED + "script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"
)
_SAFE: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


class Site:
    """Answers ``/``, ``/docs``, ``/docs/errors`` and ``/static/``."""

    async def find(self, raw_path: bytes) -> Read | None:
        """What answers for the path, if it is one of a page or a file."""
        if raw_path in _PAGES:
            make, policy = _PAGES[raw_path]
            headers: Headers = [ASK_AGAIN, (b"content-security-policy", policy.encode()), *_SAFE]
            return _answers_with(await asyncio.to_thread(make), headers)
        if raw_path.startswith(b"/static/"):
            file = await asyncio.to_thread(find_asset, raw_path[1:].decode("latin-1"))
            return None if file is None else _answers_with(file, [_FOREVER, *_SAFE])
        return None


def answer_file(request: Request, file: File, headers: Headers) -> Answer:
    """The file, compressed for a client that takes gzip; 304 for one that has it already."""
    etag = b'W/"%s"' % file.version.encode()  # weak: it names the file, compressed or not
    headers = [(b"etag", etag), (b"vary", b"Accept-Encoding"), *headers]
    if is_current(etag, request.headers.get(b"if-none-match", b"")):
        return Answer(304, headers)
    takes_gzip = _takes_gzip(request.headers.get(b"accept-encoding", b""))
    body = file.compressed if takes_gzip else file.decompress()
    if takes_gzip:
        headers.append((b"content-encoding", b"gzip"))
    headers.append((b"content-type", file.media_type.encode()))
    headers.append((b"content-length", b"%d" % len(body)))
    return Answer(200, headers, body)


def _answers_with(file: File, headers: Headers) -> Read:
    async def answer(request: Request) -> Answer:
        return answer_file(request, file, headers)

    return answer


def _takes_gzip(accepted: bytes) -> bool:
    for one in accepted.lower().split(b","):
        coding, _, weight = one.replace(b" ", b"").partition(b";q=")
        if coding == b"gzip":
            return weight.strip(b"0.") != b"" or not weight
    return False


_PAGES: dict[bytes, tuple[Callable[[], File], str]] = {
    b"/": (cache(make_index), _POLICY),
    b"/docs": (cache(make_docs), _DOCS_POLICY),
    b"/docs/errors": (cache(lambda: make_errors(TABLE)), _POLICY),
}
