"""Adds the reference and the documents to an application.

The documents' server is relative to their own address, or is the setting ``public_url``. It never
comes from a request, because anybody can set Host and forwarded headers.
"""

import msgspec

from plantstore.features.page.files import decompress, make_file, read_files
from plantstore.features.page.routes import add_files
from plantstore.http.app import App

_SERVER = "."  # in the documents as they are built


def add_reference(app: App) -> None:
    files, server = read_files("reference"), app.settings.public_url
    built, named = map(msgspec.json.encode, (_SERVER, server))  # JSON strings are YAML strings
    for path, file in files.items():
        if path.startswith("/openapi.") and server != _SERVER:
            files[path] = make_file(file.media_type, decompress(file).replace(built, named, 1))
    add_files(app, files)
