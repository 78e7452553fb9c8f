"""The pages, rendered from their templates.

All addresses in them are relative, so that the service works under any path. What a page is made
with is imported when the first is asked for: a start needs none of it.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plantstore.web.assets import File, list_scripts, make_file, static_folder

if TYPE_CHECKING:
    from plantstore.web.reference.view import ErrorRow

_TEMPLATES = Path(__file__).with_name("templates")
_HTML = "text/html; charset=utf-8"


def make_index() -> File:
    """The page for the users of a store; it preloads all of its scripts."""
    return _make_page("index.html", {"modules": list_scripts(of_docs=False)})


def make_docs(
    document: Mapping[str, Any], rows: "Iterable[ErrorRow]", remedies: Mapping[int, str]
) -> File:
    """The reference: the OpenAPI document, the table of errors, and what to do about each."""
    from plantstore.web.reference.view import FILTERS, make_view  # noqa: PLC0415 - as above

    values = make_view(document, rows) | {
        "remedies": remedies,
        "modules": list_scripts(of_docs=True),
    }
    return _make_page("docs.html", values, FILTERS)


def _make_page(
    template: str, values: Mapping[str, object], filters: Mapping[str, Callable[..., object]] = {}
) -> File:
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - as above

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(filters)
    text = (_TEMPLATES / template).read_text(encoding="utf-8")
    page = environment.from_string(text).render(static=static_folder(), **values)
    return make_file(_HTML, page.encode())
