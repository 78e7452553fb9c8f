"""The pages' files, all in one folder, ``static/<hash>/``, whose name is the hash of all of them.

Invariant: the contents of a folder of that name never change, so that they may be cached forever;
scripts import each other by relative addresses within it.

Only the compressed form of a file is kept: nearly every client accepts gzip. The first that does
not has it decompressed, in less than a millisecond.
"""

import zlib
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
# The reference's scripts: those with this beginning, and of the page's these, which they import.
_DOCS = "docs"
_SHARED = {"dom.js", "session.js"}
_HASH_LENGTH = 12
_GZIP = 31  # zlib's number for the largest window, with gzip's head and check


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
    return zlib.decompress(compressed, _GZIP)


def make_file(media_type: str, content: bytes) -> File:
    """A file with this content; the result is deterministic."""
    version = sha256(content).hexdigest()[:_HASH_LENGTH]
    return File(media_type, zlib.compress(content, 9, _GZIP), version)


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


def list_scripts(*, of_docs: bool) -> list[str]:
    """The names of the reference's scripts, or of the page's."""
    scripts = (name for name in sorted(_sources()) if name.endswith(".js"))
    if of_docs:
        return [name for name in scripts if name.startswith(_DOCS) or name in _SHARED]
    return [name for name in scripts if not name.startswith(_DOCS)]


def find_asset(path: str) -> File | None:
    """The file at the path, relative to the service's own address; made on first use."""
    folder, _, name = path.rpartition("/")
    return _load(name) if name in _sources() and folder == static_folder() else None


@cache
def _load(name: str) -> File:
    return make_file(_TYPES[Path(name).suffix], _sources()[name].read_bytes())


@cache
def _sources() -> dict[str, Path]:
    folder = Path(__file__).with_name("static")
    return {one.name: one for one in folder.iterdir() if one.suffix in _TYPES}
