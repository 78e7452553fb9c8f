"""What a schema says, in a few words; the fields of an object, and the headers of all responses."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from plantstore.features.reference.building.document import Document, Header, Schema

_INT_RANGES = {f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (32, 64)}


class Field(Struct, frozen=True):
    """A field of an object; ``depth`` counts the objects that it is in."""

    name: str
    required: bool
    schema: Schema
    depth: int = 0


class Schemas:
    """The named schemas."""

    def __init__(self, named: Mapping[str, Schema]) -> None:
        self.named = named

    def look_up(self, schema: Schema) -> Schema:
        """The schema itself, not a reference to it."""
        return self.named[schema.name] if schema.ref else schema

    def list_fields(self, schema: Schema, depth: int = 0) -> Iterator[Field]:
        """The fields of an object, or of those in an array; those of unnamed ones in it too."""
        found = self.look_up(schema)
        for part in found.all_of:
            yield from self.list_fields(part, depth)
        if found.items and not found.items.ref:
            yield from self.list_fields(found.items, depth)
        for name, one in found.properties.items():
            yield Field(name, name in found.required, one, depth)
            if not one.ref:
                yield from self.list_fields(one, depth + 1)


def find_choices(schema: Schema) -> list[Schema]:
    """The schemas of which a value has one, or at least one."""
    return [*schema.one_of, *schema.any_of]


def describe_type(schema: Schema) -> str:
    """Such as ``string (date-time)``; of an array, without that of its items."""
    names = [schema.type] if isinstance(schema.type, str) else schema.type
    if schema.items:
        return "array of"
    name = " or ".join(names)
    return f"{name} ({schema.format})" if schema.format else name


def describe_bounds(schema: Schema) -> Iterator[str]:
    """What the values are limited to."""
    if (schema.minimum, schema.maximum) != _INT_RANGES.get(schema.format):
        yield from _describe_range(schema.minimum, schema.maximum, "")
    yield from _describe_range(schema.min_length, schema.max_length, " characters")
    yield from _describe_range(schema.min_items, schema.max_items, " items")
    if schema.default is not UNSET:
        yield f"default {schema.default}"


def _describe_range(minimum: float | None, maximum: float | None, unit: str) -> Iterator[str]:
    match minimum, maximum:
        case None, None:
            return
        case _, None:
            yield f"at least {minimum}{unit}"
        case None, _:
            yield f"at most {maximum}{unit}"
        case _ if minimum == maximum:
            yield f"{minimum}{unit}"
        case _:
            yield f"{minimum} to {maximum}{unit}"


def list_values(schema: Schema) -> list[Any]:
    """The values that are allowed, if they are counted out."""
    values = schema.enum if schema.const is UNSET else [schema.const]
    return [*values, *(list_values(schema.items) if schema.items else [])]


class NamedHeader(Struct, frozen=True):
    """A header, its name, and where the page describes it."""

    name: str
    header: Header
    anchor: str


class Headers:
    """The headers by name, each of them once; one name has several of different meanings."""

    def __init__(self, document: Document) -> None:
        self._found: dict[tuple[str, bytes], NamedHeader] = {}
        for operation in document.operations:
            for response in operation.responses.values():
                for name, header in response.headers.items():
                    self._add(name, header)

    def _add(self, name: str, header: Header) -> None:
        same = sum(other == name for other, _ in self._found)
        anchor = f"header-{name.lower()}" + (f"-{same + 1}" if same else "")
        self._found.setdefault(_key(name, header), NamedHeader(name, header, anchor))

    def __iter__(self) -> Iterator[NamedHeader]:
        return iter(sorted(self._found.values(), key=lambda one: one.name))

    def anchor(self, name: str, header: Header) -> str:
        """Where the page describes it."""
        return self._found[_key(name, header)].anchor


def _key(name: str, header: Header) -> tuple[str, bytes]:
    return name, msgspec.json.encode(header)
