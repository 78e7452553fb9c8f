"""The interface's OpenAPI document, the same bytes for everybody.

Its server is relative to the document's own address, or the setting ``public_url``: nothing is
taken from a request, whose Host and forwarded headers anybody may set.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from plantstore.web.assets import File, make_file

_DOCUMENT = Path(__file__).parents[2] / "openapi.yaml"
_SERVER = "servers: [{url: .}]"


def read_document() -> str:
    """Its text as it stands in the package, comments and all."""
    return _DOCUMENT.read_text(encoding="utf-8")


def parse_document(text: str) -> dict[str, Any]:
    """What it says."""
    import yaml  # noqa: PLC0415 - slow to import, and seldom needed

    document: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return document


@cache
def make_yaml(server: str) -> File:
    """The document as it was written, but for its server."""
    return make_file("application/yaml", _read(server).encode())


@cache
def make_json(server: str) -> File:
    """The document as JSON."""
    return make_file("application/json", msgspec.json.encode(parse_document(_read(server))))


def _read(server: str) -> str:
    return read_document().replace(_SERVER, f"servers: [{{url: {json.dumps(server)}}}]", 1)
