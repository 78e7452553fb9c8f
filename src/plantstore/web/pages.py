"""The pages themselves, made from their templates, each with the files that it loads."""

from collections.abc import Callable, Iterable
from importlib.resources import files

from msgspec import Struct

from plantstore.web.assets import Asset, Assets, compress, name_content, read_own, read_swagger


class Page(Struct, frozen=True):
    """A page as HTML, plain and compressed, what stands for it, and its files by their paths."""

    version: str
    content: bytes
    compressed: bytes
    assets: dict[str, Asset]


def make_index() -> Page:
    """The page for the people of a store; it names all scripts, to be asked for at once."""
    assets = Assets(read_own)
    assets.path_of("main.js")
    modules = [path for path in assets.by_path() if path.endswith(".js")]
    return _make_page("index.html", assets, modules=modules)


def make_docs() -> Page:
    """The interface, to be read and tried out."""
    return _make_page("docs.html", Assets(read_swagger))


def make_errors(rows: Iterable[object]) -> Page:
    """The table of error numbers; each row has ``number``, ``status``, ``when``, ``message``."""
    return _make_page("errors.html", Assets(read_own), rows=rows)


def _make_page(template: str, assets: Assets, **values: object) -> Page:
    content = _render(template, assets.path_of, values).encode()
    return Page(name_content(content), content, compress(content), assets.by_path())


def _render(template: str, url: Callable[[str], str], values: dict[str, object]) -> str:
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - a start needs none

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    text = files("plantstore.web").joinpath("templates", template).read_text(encoding="utf-8")
    return environment.from_string(text).render(url=url, **values)
