"""The site: its pages, rendered from their templates, its scripts and styles, and the documents.

Scripts and styles are in one folder, ``/static/<hash>/``, whose name is the hash of all of them.

Invariant: the contents of a folder of that name never change, so that they may be cached forever;
scripts import each other by relative addresses within it. All addresses in pages are relative, so
that the service works under any path.
"""

import os
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import yaml
from jinja2 import Environment, StrictUndefined

from building.reference.remedies import REMEDIES
from building.reference.view import FILTERS, make_view
from plantstore.http.errors import TABLE
from plantstore.http.site.files import HASH_LENGTH, File, make_file

PACKAGE = Path(__file__).parents[1] / "src" / "plantstore"
BUILT = PACKAGE / "built"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
# The reference's scripts: those with this beginning, and of the page's these, which they import.
_DOCS = "docs"
_SHARED = {"dom.js", "session.js"}


def write_site(folder: Path) -> None:
    """Write all files, at once, as the program reads them at its start."""
    folder.mkdir(exist_ok=True)
    part = folder / f"site.{os.getpid()}"
    part.write_bytes(msgspec.msgpack.encode(make_site()))
    part.replace(folder / "site.msgpack")


def make_site() -> dict[str, File]:
    """All files, by path."""
    text = read_document()
    document = parse_document(text)
    contents = {
        path.name: path.read_bytes()
        for path in sorted((PACKAGE / "web" / "static").iterdir())
        if path.suffix in _TYPES
    }
    folder = f"static/{hash_files(contents)}"
    scripts = [name for name in contents if name.endswith(".js")]
    modules = [name for name in scripts if not name.startswith(_DOCS)]
    modules_of_docs = [name for name in scripts if name.startswith(_DOCS) or name in _SHARED]
    reference = make_view(document, TABLE) | {"remedies": REMEDIES, "modules": modules_of_docs}
    static = {
        f"/{folder}/{name}": make_file(_TYPES[Path(name).suffix], content)
        for name, content in contents.items()
    }
    return {
        "/": _render("index.html", {"static": folder, "modules": modules}),
        "/docs": _render("docs.html", {"static": folder, **reference}, FILTERS),
        "/openapi.json": make_file("application/json", msgspec.json.encode(document)),
        "/openapi.yaml": make_file("application/yaml", text.encode()),
        **static,
    }


def read_document() -> str:
    """The interface's OpenAPI document as it was written, comments and all."""
    return (PACKAGE / "openapi.yaml").read_text(encoding="utf-8")


def parse_document(text: str) -> dict[str, Any]:
    """What it says."""
    document: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return document


def hash_files(contents: Mapping[str, bytes]) -> str:
    """The hash of the files' names and contents."""
    digest = sha256()
    for name, content in sorted(contents.items()):
        digest.update(sha256(name.encode()).digest() + sha256(content).digest())
    return digest.hexdigest()[:HASH_LENGTH]


def _render(
    template: str, values: Mapping[str, object], filters: Mapping[str, Callable[..., object]] = {}
) -> File:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(filters)
    text = (PACKAGE / "web" / "templates" / template).read_text(encoding="utf-8")
    page = environment.from_string(text).render(values)
    return make_file("text/html; charset=utf-8", page.encode())
