"""The OpenAPI document for the reference page: resolved references, and schemas in a few words.

Invariant: the only remaining ``$ref`` point to ``components/schemas``, and become links.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

SCHEMAS = "#/components/schemas/"
_METHODS = ("post", "get", "put", "patch", "delete", "options", "head", "trace", "query")

Json = Any  # any JSON value
Field = tuple[str, bool, Json, int]  # name, whether it is required, schema, objects around it
_INT_RANGES = {f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (32, 64)}


def resolve(root: Json) -> Json:
    """The document with its references resolved."""

    def put_in(node: Json) -> Json:
        if isinstance(node, list):
            return [put_in(child) for child in node]
        if not isinstance(node, dict):
            return node
        reference = node.get("$ref", SCHEMAS)
        if reference.startswith(SCHEMAS):
            return {key: put_in(child) for key, child in node.items()}
        target = root
        for name in reference.removeprefix("#/").split("/"):
            target = target[name]
        return put_in(target)

    return put_in(root)


def list_operations(document: Json, section: str = "paths") -> list[Json]:
    """The operations of a resolved document, each with its ``method`` and ``path``."""
    operations: list[Json] = []
    for path, item in document.get(section, {}).items():
        for method in filter(item.__contains__, _METHODS):
            own = item[method]
            parameters = item.get("parameters", []) + own.get("parameters", [])
            operations.append({**own, "method": method, "path": path, "parameters": parameters})
    return operations


def look_up(named: Mapping[str, Json], schema: Json) -> Json:
    """The schema itself, not a reference to it."""
    return named[schema["$ref"].removeprefix(SCHEMAS)] if "$ref" in schema else schema


def list_fields(named: Mapping[str, Json], schema: Json, depth: int = 0) -> Iterator[Field]:
    """The fields of an object, or of an array's objects, with those of unnamed objects inside."""
    resolved = look_up(named, schema)
    for part in resolved.get("allOf", []):
        yield from list_fields(named, part, depth)
    if "items" in resolved and "$ref" not in resolved["items"]:
        yield from list_fields(named, resolved["items"], depth)
    for name, field_schema in resolved.get("properties", {}).items():
        yield name, name in resolved.get("required", []), field_schema, depth
        if "$ref" not in field_schema:
            yield from list_fields(named, field_schema, depth + 1)


def write_type(schema: Json) -> Markup:
    """Describe a type: ``string (date-time), at most 7 characters``; a named schema is a link."""
    if name := schema.get("$ref", "").removeprefix(SCHEMAS):
        text = Markup('<a href="#schema-{0}">{0}</a>').format(name)
    elif "items" in schema:
        text = "array of " + write_type(schema["items"])
    elif "contentSchema" in schema:
        text = "text of " + write_type(schema["contentSchema"])
    else:
        kind = schema.get("type", "")
        text = Markup(kind if isinstance(kind, str) else " or ".join(kind))  # noqa: S704 - words of JSON Schema
        text += f" ({schema['format']})" if "format" in schema else ""
    return Markup(", ").join([text, *_describe_bounds(schema)])


def _describe_bounds(schema: Json) -> Iterator[str]:
    bounds = schema.get("minimum"), schema.get("maximum")
    if bounds != _INT_RANGES.get(schema.get("format")):
        yield from _describe_range(*bounds, "")
    yield from _describe_range(schema.get("minLength"), schema.get("maxLength"), " characters")
    yield from _describe_range(schema.get("minItems"), schema.get("maxItems"), " items")
    if "default" in schema:
        yield f"default {schema['default']}"


def _describe_range(minimum: float | None, maximum: float | None, unit: str) -> Iterator[str]:
    if minimum is not None and maximum is not None:
        low = "" if minimum == maximum else f"{minimum} to "
        yield f"{low}{maximum}{unit}"
    elif minimum is not None:
        yield f"at least {minimum}{unit}"
    elif maximum is not None:
        yield f"at most {maximum}{unit}"


def list_values(schema: Json) -> list[Json]:
    values = [schema["const"]] if "const" in schema else schema.get("enum", [])
    return [*values, *(list_values(schema["items"]) if "items" in schema else [])]
