"""The pages themselves, made from their templates.

All their addresses are relative to their own, so that the service may stand below any path.
"""

from collections.abc import Iterable
from importlib.resources import files

from plantstore.web.assets import File, make_file, script_names, static_folder

_HTML = "text/html; charset=utf-8"


def make_index() -> File:
    """The page for the people of a store; it names all scripts, to be asked for at once."""
    return _make_page("index.html", "", modules=script_names())


def make_docs() -> File:
    """The interface, to be read and tried out."""
    return _make_page("docs.html", "")


def make_errors(rows: Iterable[object]) -> File:
    """The table of error numbers; each row has ``number``, ``status``, ``when``, ``message``."""
    return _make_page("errors.html", "../", rows=rows)


def _make_page(template: str, up: str, **values: object) -> File:
    """The page, from whose address ``up`` leads to the service's own."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - a start needs none

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    text = files("plantstore.web").joinpath("templates", template).read_text(encoding="utf-8")
    page = environment.from_string(text).render(static=up + static_folder(), **values)
    return make_file(_HTML, page.encode())
