"""The OpenAPI document, decoded into the parts that the reference shows.

Invariant: no ``$ref`` is left but those to ``components/schemas``, which the page links to.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

SCHEMAS = "#/components/schemas/"
_METHODS = ("post", "get", "put", "patch", "delete", "options", "head", "trace", "query")

Json = Any  # what a JSON text holds


class Schema(Struct, frozen=True, rename="camel"):
    """A schema; ``ref`` is set where it is a reference to a named one."""

    ref: str = field(default="", name="$ref")
    type: str | list[str] = ""
    format: str = ""
    description: str = ""
    properties: dict[str, "Schema"] = {}
    required: list[str] = []
    items: "Schema | None" = None
    content_schema: "Schema | None" = None
    one_of: list["Schema"] = []
    any_of: list["Schema"] = []
    all_of: list["Schema"] = []
    enum: list[Json] = []
    const: Json | UnsetType = UNSET
    default: Json | UnsetType = UNSET
    minimum: int | float | None = None
    maximum: int | float | None = None
    min_length: int | None = None
    max_length: int | None = None
    min_items: int | None = None
    max_items: int | None = None

    @property
    def name(self) -> str:
        """The name of the schema that it refers to, or nothing."""
        return self.ref.removeprefix(SCHEMAS)


class Example(Struct, frozen=True):
    """A value, and maybe what is special about it."""

    value: Json = None
    summary: str = ""


class MediaType(Struct, frozen=True):
    """A content of one media type."""

    schema: Schema = Schema()
    example: Json | UnsetType = UNSET
    examples: dict[str, Example] = {}

    @property
    def all_examples(self) -> list[Example]:
        """The examples, however they are written; one of several has a summary."""
        if self.example is not UNSET:
            return [Example(self.example)]
        named = [(one, name.replace("_", " ").capitalize()) for name, one in self.examples.items()]
        return [Example(one.value, one.summary or name * (len(named) > 1)) for one, name in named]


class Header(Struct, frozen=True):
    """A header of a response."""

    description: str = ""
    required: bool = False
    schema: Schema = Schema()
    example: Json | UnsetType = UNSET


class Parameter(Header, frozen=True, kw_only=True):
    """A parameter in the path, the query or a header."""

    name: str
    place: str = field(name="in")


class RequestBody(Struct, frozen=True):
    """What is sent, by media type."""

    description: str = ""
    required: bool = False
    content: dict[str, MediaType] = {}


class Response(Struct, frozen=True):
    """A response, by media type."""

    description: str = ""
    headers: dict[str, Header] = {}
    content: dict[str, MediaType] = {}


class Operation(Struct, frozen=True, rename="camel"):
    """An operation; ``method`` and ``path`` are where it stands in the document."""

    operation_id: str
    summary: str = ""
    description: str = ""
    tags: list[str] = []
    parameters: list[Parameter] = []
    request_body: RequestBody | None = None
    responses: dict[str, Response] = {}
    security: list[Json] | None = None
    method: str = ""
    path: str = ""

    @property
    def needs_token(self) -> bool:
        """Whether it is called with a token; most are, and say nothing."""
        return self.security != []


class Tag(Struct, frozen=True):
    """A group of operations."""

    name: str
    description: str = ""


class Info(Struct, frozen=True):
    """What the document says about itself."""

    title: str
    version: str
    summary: str = ""
    description: str = ""


class SecurityScheme(Struct, frozen=True):
    """How a caller is authenticated."""

    description: str = ""


class Components(Struct, frozen=True, rename="camel"):
    """The parts that have names."""

    schemas: dict[str, Schema] = {}
    security_schemes: dict[str, SecurityScheme] = {}
    examples: dict[str, Example] = {}


class Document(Struct, frozen=True):
    """The document."""

    info: Info
    operations: list[Operation]
    tags: list[Tag] = []
    components: Components = Components()


def read_document(raw: Mapping[str, Json]) -> Document:
    """The document, from its JSON; ``msgspec.ValidationError`` if it is not OpenAPI."""
    operations = list(_find_operations(_Resolver(raw).resolve(raw["paths"])))
    rest = {name: raw.get(name, {}) for name in ("info", "components")}
    return msgspec.convert(
        rest | {"tags": raw.get("tags", []), "operations": operations}, Document, strict=False
    )


def _find_operations(paths: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    for path, item in paths.items():
        for method in _METHODS:
            if method in item:
                own = item[method]
                parameters = [*item.get("parameters", []), *own.get("parameters", [])]
                yield own | {"method": method, "path": path, "parameters": parameters}


class _Resolver:
    """Puts what a reference refers to in its place."""

    def __init__(self, root: Json) -> None:
        self._root = root
        self._resolved: dict[str, Json] = {}

    def resolve(self, node: Json) -> Json:
        if isinstance(node, list):
            return [self.resolve(one) for one in node]
        if not isinstance(node, dict):
            return node
        reference = node.get("$ref", SCHEMAS)
        if not reference.startswith(SCHEMAS):
            return self._find(reference)
        return {key: self.resolve(one) for key, one in node.items()}

    def _find(self, reference: str) -> Json:
        if reference not in self._resolved:
            found = self._root
            for name in reference.removeprefix("#/").split("/"):
                found = found[name.replace("~1", "/").replace("~0", "~")]
            self._resolved[reference] = self.resolve(found)
        return self._resolved[reference]
