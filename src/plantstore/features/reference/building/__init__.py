"""Builds the reference at ``/docs``: an OpenAPI document as a page."""

import re
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from pathlib import Path

import msgspec
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from building.document import parse_document, read_document
from plantstore.features.page.building import STATIC, make_static, render
from plantstore.features.page.files import File, make_file
from plantstore.features.reference.building import samples
from plantstore.features.reference.building.document import (
    Json,
    list_fields,
    list_operations,
    list_values,
    look_up,
    resolve,
    write_type,
)
from plantstore.features.reference.building.remedies import REMEDIES
from plantstore.http.errors import TABLE

_HERE = Path(__file__).parents[1]
_OF_THE_PAGE = ("base.css", "dom.js", "icon.svg", "session.js")
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")  # shows HTML as text
# The errors of the three calls, except for mistakes in a parameter or in HTTP itself.
USUAL = (40002, 40003, 40004, 40101, 40102, 40301, 40401, 42901, 50301)
_HEADING = re.compile("^### (.+)\n", re.MULTILINE)
_MARK = r'\1\2<mark title="Your token">TOKEN</mark>'
_TOKEN = re.compile(r"(?<=Bearer )(\$?)(\{?)TOKEN")


def make_files() -> dict[str, File]:
    """All files, by path: the reference, and the documents that it is made from."""
    text = read_document()
    document = parse_document(text)
    sources = [*sorted((_HERE / "static").iterdir()), *(STATIC / name for name in _OF_THE_PAGE)]
    folder, static = make_static(sources)
    modules = [path.name for path in sources if path.suffix == ".js"]
    view = make_view(resolve(document)) | {"static": folder, "modules": modules}
    return {
        "/docs": render(_HERE / "docs.html", view, FILTERS),
        "/openapi.json": make_file("application/json", msgspec.json.encode(document)),
        "/openapi.yaml": make_file("application/yaml", text.encode()),
        **static,
    }


def make_view(document: Json) -> dict[str, object]:
    operations = list_operations(document) + list_operations(document, "webhooks")
    _, *parts = _HEADING.split(document["info"]["description"])
    return {
        "info": document["info"],
        "components": document["components"],
        "tags": document["tags"],
        "operations": operations,
        "first": next(each for each in operations if each["operationId"] == "list_plants"),
        "topics": list(zip(parts[::2], parts[1::2], strict=True)),
        "errors": TABLE,
        "usual": USUAL,
        "remedies": REMEDIES,
        "headers": _find_headers(operations),
        "languages": samples.LANGUAGES,
        "make_call": samples.make_call,
        "look_up": partial(look_up, document["components"]["schemas"]),
        "list_fields": partial(list_fields, document["components"]["schemas"]),
    }


def _find_headers(operations: list[Json]) -> dict[str, list[Json]]:
    """The headers of responses by name, without repetition; a name may have several meanings."""
    headers: dict[str, list[Json]] = {}
    for operation in operations:
        for response in operation["responses"].values():
            for name, header in response.get("headers", {}).items():
                if header not in headers.setdefault(name, []):
                    headers[name].append(header)
    return dict(sorted(headers.items()))


def _list_error_numbers(response: Json) -> list[int]:
    contents = response.get("content", {}).values()
    examples = (value for content in contents for _, value in samples.list_examples(content))
    return [value["error"] for value in examples if isinstance(value, dict) and "error" in value]


_PHRASES = {str(status.value): status.phrase for status in HTTPStatus}
FILTERS: dict[str, Callable[..., object]] = {
    "anchor": lambda title: re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-"),
    "choices": list_values,
    "code": lambda code: Markup(_TOKEN.sub(_MARK, str(escape(code)))),  # noqa: S704 - escaped
    "example": samples.write_example,
    "examples": samples.list_examples,
    # Text of one paragraph, and of several; markdown-it escapes both.
    "inline": lambda text: Markup(_MARKDOWN.renderInline((text or "").strip())),  # noqa: S704
    "markdown": lambda text: Markup(_MARKDOWN.render(text or "")),  # noqa: S704
    "numbers": _list_error_numbers,
    "phrase": lambda status: _PHRASES.get(str(status), ""),  # none for "default" or a range
    "type": write_type,
    "value": samples.example_of,
}
