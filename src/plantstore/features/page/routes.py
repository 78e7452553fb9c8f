"""Adds built files to an application."""

from collections.abc import Mapping
from functools import partial

from plantstore.features.page.files import STATIC, File, headers_of, read_files, respond
from plantstore.http.app import App
from plantstore.http.routes import reads


def add_page(app: App) -> None:
    add_files(app, read_files("page"))


def add_files(app: App, files: Mapping[str, File]) -> None:
    """Add the routes of files, by path."""
    for path, file in files.items():
        pattern = f"{STATIC}{{file}}" if path.startswith(STATIC) else path
        app.routes.add(path, reads(partial(respond, file, headers_of(path, file))), pattern)
