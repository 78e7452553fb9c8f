"""The pages themselves, made from their templates, each with the files that it loads."""

from collections.abc import Callable, Iterable
from importlib.resources import files

from msgspec import Struct

from plantstore.web.assets import Asset, Assets, compress, read_own, read_swagger

# In the order of their imports, so that a browser asks for all of them at once.
MODULES = (
    "main.js",
    "api.js",
    "dom.js",
    "form.js",
    "grid.js",
    "importer.js",
    "list.js",
    "plant.js",
    "removal.js",
    "tables.js",
    "tags.js",
    "toasts.js",
)


class Page(Struct, frozen=True):
    """A page as HTML, plain and compressed, and its files by their paths."""

    content: bytes
    compressed: bytes
    assets: dict[str, Asset]


def make_index() -> Page:
    """The page for the people of a store."""
    return _make_page("index.html", Assets(read_own), modules=MODULES)


def make_docs() -> Page:
    """The interface, to be read and tried out."""
    return _make_page("docs.html", Assets(read_swagger))


def make_errors(rows: Iterable[object]) -> Page:
    """The table of error numbers; each row has ``number``, ``status``, ``when``, ``message``."""
    return _make_page("errors.html", Assets(read_own), rows=rows)


def _make_page(template: str, assets: Assets, **values: object) -> Page:
    content = _render(template, assets.path_of, values).encode()
    return Page(content, compress(content), assets.by_path())


def _render(template: str, url: Callable[[str], str], values: dict[str, object]) -> str:
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - a start needs none

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    text = files("plantstore.web").joinpath("templates", template).read_text(encoding="utf-8")
    return environment.from_string(text).render(url=url, **values)
