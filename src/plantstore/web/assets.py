"""The pages' files, all in one folder, ``static/<hash>/``, whose name is the hash of all of them.

Invariant: the contents of a folder of that name never change, so that they may be cached forever;
scripts import each other by relative addresses within it.

Only the compressed form of a file is kept: nearly every client accepts gzip. The first that does
not has it decompressed: 8 ms for Swagger UI's bundle of 1.4 MB, 0.1 ms for a page.
"""

import gzip
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import Protocol

from msgspec import Struct

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_SWAGGER = ("swagger-ui.css", "swagger-ui-bundle.js")
_HASH_LENGTH = 12


class File(Struct, frozen=True):
    """What is served: its media type, its content compressed by gzip, and the content's hash."""

    media_type: str
    compressed: bytes
    version: str

    def decompress(self) -> bytes:
        """The content itself, the same object each time: many responses may share it."""
        return _decompress(self.compressed)


@cache
def _decompress(compressed: bytes) -> bytes:
    return gzip.decompress(compressed)


class _Source(Protocol):
    @property
    def name(self) -> str: ...

    def read_bytes(self) -> bytes: ...


def make_file(media_type: str, content: bytes) -> File:
    """A file with this content; the result is deterministic."""
    version = sha256(content).hexdigest()[:_HASH_LENGTH]
    return File(media_type, gzip.compress(content, mtime=0), version)


def hash_files(contents: Mapping[str, bytes]) -> str:
    """The hash of the files' names and contents."""
    digest = sha256()
    for name, content in sorted(contents.items()):
        digest.update(sha256(name.encode()).digest() + sha256(content).digest())
    return digest.hexdigest()[:_HASH_LENGTH]


@cache
def static_folder() -> str:
    """The folder of all files, relative to the service's own address."""
    return f"static/{hash_files({name: one.read_bytes() for name, one in _sources().items()})}"


def script_names() -> list[str]:
    """The scripts of the page: all of ours except the docs' one."""
    ours = set(_sources()) - {"docs.js", *_SWAGGER}
    return sorted(name for name in ours if name.endswith(".js"))


def find_asset(path: str) -> File | None:
    """The file at the path, relative to the service's own address; made on first use."""
    folder, _, name = path.rpartition("/")
    return _load(name) if name in _sources() and folder == static_folder() else None


@cache
def _load(name: str) -> File:
    return make_file(_TYPES[PurePath(name).suffix], _sources()[name].read_bytes())


@cache
def _sources() -> dict[str, _Source]:
    return {source.name: source for source in _find_sources()}


def _find_sources() -> Iterator[_Source]:
    for source in files("plantstore.web").joinpath("static").iterdir():
        if PurePath(source.name).suffix in _TYPES:
            yield source
    spec = find_spec("swagger_ui")  # finds its files without running its code
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("swagger_ui is not installed")
    for name in _SWAGGER:
        yield Path(spec.origin).with_name("static") / name
