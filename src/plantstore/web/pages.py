"""The pages, rendered from their templates.

All addresses in them are relative, so that the service works under any path.
"""

from collections.abc import Iterable
from importlib.resources import files

from plantstore.web.assets import File, make_file, script_names, static_folder

_HTML = "text/html; charset=utf-8"


def make_index() -> File:
    """The page for the users of a store; it preloads all scripts."""
    return _make_page("index.html", "", modules=script_names())


def make_docs() -> File:
    """The interface, to read and try out."""
    return _make_page("docs.html", "")


def make_errors(rows: Iterable[object]) -> File:
    """The table of error numbers; each row has ``number``, ``status``, ``when``, ``message``."""
    return _make_page("errors.html", "../", rows=rows)


def _make_page(template: str, up: str, **values: object) -> File:
    """The page; ``up`` is the path from its address to the service's."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - a start needs none

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    text = files("plantstore.web").joinpath("templates", template).read_text(encoding="utf-8")
    page = environment.from_string(text).render(static=up + static_folder(), **values)
    return make_file(_HTML, page.encode())
