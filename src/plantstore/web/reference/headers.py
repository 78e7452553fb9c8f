"""The headers of all responses: each is described once, however many responses have it."""

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from plantstore.web.reference.document import Document, Header


class NamedHeader(Struct, frozen=True):
    """A header, its name, and where the page describes it."""

    name: str
    header: Header
    anchor: str


class Headers:
    """The headers by name; one name has several where they mean different things."""

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
