"""Serves the pages for people and their files, under a policy that lets them load nothing else.

Pages are made when they are first asked for, in another thread: a start waits for none of them.
"""

import asyncio
from collections.abc import Awaitable, Callable

from plantstore.http.answers import Answer, Headers, is_current
from plantstore.http.errors import TABLE
from plantstore.http.request import Request
from plantstore.web.assets import STATIC, Asset
from plantstore.web.pages import Page, make_docs, make_errors, make_index

Read = Callable[[Request], Awaitable[Answer]]

_STATIC = STATIC.encode()
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
    (b"vary", b"Accept-Encoding"),
]
_FOREVER = (b"cache-control", b"public, max-age=31536000, immutable")
_ASK_AGAIN = (b"cache-control", b"no-cache")
_HTML = "text/html; charset=utf-8"


class Site:
    """Answers ``/``, ``/docs``, ``/docs/errors`` and ``/static/``."""

    def __init__(self) -> None:
        self._making: dict[str, asyncio.Future[Page]] = {}

    async def find(self, raw_path: bytes) -> Read | None:
        """What answers for the path, if it is one of a page or a file."""
        if raw_path in _PAGES:
            make, policy = _PAGES[raw_path]
            return lambda request: self._answer_page(request, make, policy)
        if raw_path.startswith(_STATIC):
            return await self._find_file(raw_path.decode("latin-1"))
        return None

    async def _find_file(self, path: str) -> Read | None:
        # Whoever has a page's file got the page from a process that may not be this one.
        for make, _ in _PAGES.values():
            asset = (await self._get(make)).assets.get(path)
            if asset is not None:
                return _answers_with(asset)
        return None

    async def _answer_page(
        self, request: Request, make: Callable[[], Page], policy: bytes
    ) -> Answer:
        page = await self._get(make)
        etag = b'W/"%s"' % page.version.encode()  # weak: it names the page, plain or compressed
        own = [_ASK_AGAIN, (b"etag", etag), (b"content-security-policy", policy)]
        if is_current(etag, request.headers.get(b"if-none-match", b"")):
            return Answer(304, [*own, *_SAFE])
        return _answer(request, _HTML, page.content, page.compressed, own)

    async def _get(self, make: Callable[[], Page]) -> Page:
        """The page, made once; again where that failed."""
        name = make.__name__
        if name not in self._making or self._has_failed(name):
            self._making[name] = asyncio.ensure_future(asyncio.to_thread(make))
        return await asyncio.shield(self._making[name])

    def _has_failed(self, name: str) -> bool:
        making = self._making[name]
        return making.done() and (making.cancelled() or making.exception() is not None)


def _answers_with(asset: Asset) -> Read:
    async def answer(request: Request) -> Answer:
        return _answer(request, asset.media_type, asset.content, asset.compressed, [_FOREVER])

    return answer


def _answer(
    request: Request, media_type: str, content: bytes, compressed: bytes, own: Headers
) -> Answer:
    headers: Headers = [(b"content-type", media_type.encode()), *own, *_SAFE]
    if _takes_gzip(request):
        content = compressed
        headers.append((b"content-encoding", b"gzip"))
    headers.append((b"content-length", b"%d" % len(content)))
    return Answer(200, headers, content)


def _takes_gzip(request: Request) -> bool:
    for one in request.headers.get(b"accept-encoding", b"").lower().split(b","):
        coding, _, weight = one.replace(b" ", b"").partition(b";q=")
        if coding == b"gzip":
            return weight.strip(b"0.") != b"" or not weight
    return False


def _make_errors() -> Page:
    return make_errors(TABLE)


_PAGES: dict[bytes, tuple[Callable[[], Page], bytes]] = {
    b"/": (make_index, _POLICY.encode()),
    b"/docs/errors": (_make_errors, _POLICY.encode()),
    b"/docs": (make_docs, _DOCS_POLICY.encode()),
}
