"""Serves the interface's OpenAPI document, with the origin that it was asked from as its server."""

import asyncio
import json
import re
from functools import cache
from importlib.resources import files

from plantstore.http.answers import Answer, answer_json
from plantstore.http.request import Request

_YAML = (b"content-type", b"application/yaml")
_SERVERS = "servers: [{url: /}]"
_HOST = re.compile(rb"[0-9A-Za-z.:\[\]_-]{1,255}")


class OpenApi:
    """Answers ``/openapi.json`` and ``/openapi.yaml``."""

    async def answer_json(self, request: Request) -> Answer:
        """The document as JSON."""
        document = await asyncio.to_thread(_load_document)
        return answer_json(200, {**document, "servers": [{"url": _origin(request)}]})

    async def answer_yaml(self, request: Request) -> Answer:
        """The document as it was written, comments and all."""
        servers = f"servers: [{{url: {json.dumps(_origin(request))}}}]"
        body = _read_document().replace(_SERVERS, servers, 1).encode()
        return Answer(200, [_YAML, (b"content-length", b"%d" % len(body))], body)


def _origin(request: Request) -> str:
    """Where the client reached us: a relative ``/`` where its Host header is no plain host."""
    host = request.headers.get(b"host", b"")
    if not _HOST.fullmatch(host):
        return "/"
    behind_tls = request.headers.get(b"x-forwarded-proto") == b"https"
    return f"{'https' if behind_tls else request.scheme}://{host.decode()}"


@cache
def _read_document() -> str:
    return files("plantstore").joinpath("openapi.yaml").read_text(encoding="utf-8")


@cache
def _load_document() -> dict[str, object]:
    import yaml  # noqa: PLC0415 - takes part of a start, and few ask for the document

    document: dict[str, object] = yaml.load(_read_document(), Loader=yaml.CSafeLoader)
    return document
