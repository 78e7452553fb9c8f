"""The pages' files, each under a name with the hash of its content, so that it may be kept forever.

Invariant: a script names those that it imports by their hashed names, so that its own hash changes
with theirs; what one page loads belongs together.
"""

import gzip
import re
from collections.abc import Callable
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

STATIC = "/static/"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_IMPORT = re.compile(r'(?<= from ")\./([a-z]+\.js)(?=";)')
_LEFT_OUT = re.compile(r"""\b(?:from|import)\s*\(?\s*["'`]\.[^;\n]*""")
_HASH_LENGTH = 12


class Asset(Struct, frozen=True):
    """One file: ``path`` in the origin, its media type, its content plain and compressed."""

    path: str
    media_type: str
    content: bytes
    compressed: bytes


class Assets:
    """The files of a set of pages, found by name or by path; ``read`` gives one by its name."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self._read = read
        self._by_name: dict[str, Asset] = {}

    def path_of(self, name: str) -> str:
        """Where a page finds the file; loads it with all that it imports."""
        return self._load(name).path

    def by_path(self) -> dict[str, Asset]:
        """All files that were loaded."""
        return {asset.path: asset for asset in self._by_name.values()}

    def _load(self, name: str) -> Asset:
        if name not in self._by_name:
            self._by_name[name] = _make_asset(name, self._resolve(name))
        return self._by_name[name]

    def _resolve(self, name: str) -> bytes:
        content = self._read(name)
        if not name.endswith(".js"):
            return content
        script = _IMPORT.sub(lambda found: self.path_of(found[1]), content.decode())
        if left_out := _LEFT_OUT.search(script):
            raise ValueError(f"{name} has an import of a form that is not known: {left_out[0]}")
        return script.encode()


def name_content(content: bytes) -> str:
    """What stands for the content: no other of our files has the same."""
    return sha256(content).hexdigest()[:_HASH_LENGTH]


def compress(content: bytes) -> bytes:
    """The content compressed by gzip, to the same bytes each time."""
    return gzip.compress(content, mtime=0)


def read_own(name: str) -> bytes:
    """The content of a file of ours."""
    return files("plantstore.web").joinpath("static", name).read_bytes()


def read_swagger(name: str) -> bytes:
    """The content of one of Swagger UI's files, or of ours; its package is not run for that."""
    if not name.startswith("swagger-ui"):
        return read_own(name)
    spec = find_spec("swagger_ui")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("swagger_ui is not installed")
    return Path(spec.origin).with_name("static").joinpath(name).read_bytes()


def _make_asset(name: str, content: bytes) -> Asset:
    stem, _, extension = name.rpartition(".")
    path = f"{STATIC}{stem}.{name_content(content)}.{extension}"
    return Asset(path, _TYPES[f".{extension}"], content, compress(content))
