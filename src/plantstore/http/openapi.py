"""Serves the interface's OpenAPI document, the same bytes to everybody.

Its server is relative to the document's own address, or the setting ``public_url``: nothing is
taken from a request, whose Host and forwarded headers anybody may set.
"""

import asyncio
import json
from functools import cache

import msgspec

from plantstore.http.document import parse_document, read_document
from plantstore.http.site import REVALIDATE, file_response
from plantstore.server.messages import Request, Response
from plantstore.web.assets import File, make_file

_SERVER = "servers: [{url: .}]"


class OpenApi:
    """Responds to ``/openapi.json`` and ``/openapi.yaml``; ``server`` is the address it names."""

    def __init__(self, server: str) -> None:
        self._server = server

    async def respond_json(self, request: Request) -> Response:
        """The document as JSON."""
        return file_response(request, await asyncio.to_thread(_make_json, self._server), REVALIDATE)

    async def respond_yaml(self, request: Request) -> Response:
        """The document as it was written, comments and all."""
        return file_response(request, await asyncio.to_thread(_make_yaml, self._server), REVALIDATE)


@cache
def _make_yaml(server: str) -> File:
    return make_file("application/yaml", _read(server).encode())


@cache
def _make_json(server: str) -> File:
    return make_file("application/json", msgspec.json.encode(parse_document(_read(server))))


def _read(server: str) -> str:
    return read_document().replace(_SERVER, f"servers: [{{url: {json.dumps(server)}}}]", 1)
