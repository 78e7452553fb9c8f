"""What the template of the reference is given: the document's parts in the page's order.

A HEAD stands beside the GET of its path, which it repeats.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from itertools import groupby
from typing import Any, Protocol

from markupsafe import Markup, escape
from msgspec import Struct

from plantstore.features.reference.building import fields, prose, samples, values
from plantstore.features.reference.building.document import (
    Document,
    Operation,
    Response,
    Tag,
    read_document,
)

_TOKEN = re.compile(r"(?<=Bearer )(\$?)(\{?)TOKEN")


class ErrorRow(Protocol):
    """A row of the table of errors; the template also takes its ``number``, ``when``, ``message``.

    ``when`` is in CommonMark; braces in ``message`` stand for what varies.
    """

    @property
    def status(self) -> int:
        """The HTTP status."""


class Entry(Struct, frozen=True):
    """An operation, and the HEAD of its path if it is a GET."""

    operation: Operation
    head: Operation | None

    @property
    def media_types(self) -> list[str]:
        """Those of the request; one that is empty if it has no body."""
        body = self.operation.request_body
        return list(body.content) if body else [""]

    @property
    def successes(self) -> list[tuple[str, Response]]:
        """The responses by their statuses, but for those to errors."""
        return [one for one in self.operation.responses.items() if one[0] < "4"]

    @property
    def failures(self) -> list[tuple[str, Response]]:
        """The responses to errors; ``default`` is one."""
        return [one for one in self.operation.responses.items() if one[0] >= "4"]


class Group(Struct, frozen=True):
    """The operations of a tag."""

    tag: Tag
    entries: list[Entry]


def make_view(raw: Mapping[str, Any], rows: Iterable[ErrorRow]) -> dict[str, object]:
    """The template's values, from the OpenAPI document and the table of errors."""
    document = read_document(raw)
    groups = _group(document)
    return {
        "info": document.info,
        "access": [one.description for one in document.components.security_schemes.values()],
        "groups": groups,
        "first": next(one.operation for one in groups[0].entries if _is_simple(one.operation)),
        "topics": list(prose.split_topics(document.info.description)),
        "errors": [(status, list(some)) for status, some in groupby(rows, lambda row: row.status)],
        "examples": {name: one.value for name, one in document.components.examples.items()},
        "headers": fields.Headers(document),
        "schemas": fields.Schemas(document.components.schemas),
        "languages": samples.LANGUAGES,
        "make_call": samples.make_call,
        "find_choices": fields.find_choices,
    }


def _group(document: Document) -> list[Group]:
    gets = {one.path for one in document.operations if one.method == "get"}
    heads = {one.path: one for one in document.operations if one.method == "head"}
    entries = [
        Entry(one, heads.get(one.path) if one.method == "get" else None)
        for one in document.operations
        if one.method != "head" or one.path not in gets
    ]
    return [
        Group(tag, [one for one in entries if tag.name in one.operation.tags])
        for tag in document.tags
    ]


def _is_simple(operation: Operation) -> bool:
    is_plain = not operation.request_body and not any(one.required for one in operation.parameters)
    return operation.method == "get" and operation.needs_token and is_plain


def list_error_numbers(response: Response) -> list[int]:
    """The numbers in the examples of a response with an error."""
    found = (example.value for one in response.content.values() for example in one.all_examples)
    return [one["error"] for one in found if isinstance(one, dict) and "error" in one]


def mark_token(code: str) -> Markup:
    """A program, with the place of the token marked."""
    return Markup(_TOKEN.sub(r'\1\2<mark title="Your token">TOKEN</mark>', str(escape(code))))  # noqa: S704 - escaped


def _phrase(status: str | int) -> str:
    """Such as ``Not Found``; nothing for ``default`` or a range."""
    number = int(status) if str(status).isdigit() else 0
    return HTTPStatus(number).phrase if number in set(HTTPStatus) else ""


FILTERS: dict[str, Callable[..., object]] = {
    "bounds": fields.describe_bounds,
    "choices": fields.list_values,
    "code": mark_token,
    "example": values.write_example,
    "inline": prose.render_inline,
    "json": values.JSON.write,
    "markdown": prose.render,
    "numbers": list_error_numbers,
    "phrase": _phrase,
    "type": fields.describe_type,
    "value": samples.example_of,
}
