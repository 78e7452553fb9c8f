"""The reference at ``/docs``: the OpenAPI document as a page, whatever the document has in it."""

from pathlib import Path

import msgspec

from building.document import parse_document, read_document
from plantstore.features.page.building import STATIC, make_static, render
from plantstore.features.page.files import File, make_file
from plantstore.features.reference.building.remedies import REMEDIES
from plantstore.features.reference.building.view import FILTERS, make_view
from plantstore.http.errors import TABLE

_HERE = Path(__file__).parents[1]
_OF_THE_PAGE = ("base.css", "dom.js", "icon.svg", "session.js")


def make_files() -> dict[str, File]:
    """All files, by path: the reference, and the documents that it is made from."""
    text = read_document()
    document = parse_document(text)
    sources = [*sorted((_HERE / "static").iterdir()), *(STATIC / name for name in _OF_THE_PAGE)]
    folder, static = make_static(sources)
    modules = [path.name for path in sources if path.suffix == ".js"]
    values = make_view(document, TABLE) | {"remedies": REMEDIES, "modules": modules}
    return {
        "/docs": render(_HERE / "docs.html", {"static": folder, **values}, FILTERS),
        "/openapi.json": make_file("application/json", msgspec.json.encode(document)),
        "/openapi.yaml": make_file("application/yaml", text.encode()),
        **static,
    }
