"""Builds the page's files: HTML rendered from a template, scripts and styles.

Scripts and styles of a page are in one folder, ``/static/<hash>/``, named after the hash of all.

Invariant: the contents of a folder with such a name never change, so they can be cached forever;
scripts import each other by relative addresses within it. All addresses in pages are relative, so
that the service works under any path.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from pathlib import Path

import msgspec
from jinja2 import Environment

from plantstore.features.page.files import HASH_LENGTH, File, make_file

_HERE = Path(__file__).parent
STATIC = _HERE / "static"
_IMPORT = re.compile(r'^(?:import|export) (?:[^;"]+ from )?"\./([^"]+)"', re.MULTILINE)
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def make_files() -> dict[str, File]:
    """All files, by path."""
    folder, static = make_static(sorted(STATIC.iterdir()))
    texts = msgspec.json.decode((_HERE / "texts.json").read_bytes())
    view = {"static": folder, "modules": find_modules(), "texts": texts}
    return {"/": render(_HERE / "index.html", view), **static}


def make_static(sources: Iterable[Path]) -> tuple[str, dict[str, File]]:
    """The folder of scripts and styles, without slashes around it, and its files by path."""
    contents = {path.name: path.read_bytes() for path in sources if path.suffix in _TYPES}
    folder = f"static/{hash_files(contents)}"
    files = {
        f"/{folder}/{name}": make_file(_TYPES[Path(name).suffix], content)
        for name, content in contents.items()
    }
    return folder, files


def find_modules() -> list[str]:
    """The modules that the page loads at once, not those that it imports later."""
    modules = ["main.js"]
    for name in modules:
        text = (STATIC / name).read_text(encoding="utf-8")
        modules += {other for other in _IMPORT.findall(text) if other not in modules}
    return sorted(modules)


def hash_files(contents: Mapping[str, bytes]) -> str:
    """A hash of the files' names and contents."""
    return sha256(msgspec.msgpack.encode(sorted(contents.items()))).hexdigest()[:HASH_LENGTH]


def render(
    template: Path, values: Mapping[str, object], filters: Mapping[str, Callable[..., object]] = {}
) -> File:
    """A page, from its template."""
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(filters)
    page = environment.from_string(template.read_text(encoding="utf-8")).render(values)
    return make_file("text/html; charset=utf-8", page.encode())
