"""Writes the files that features make when the package is built."""

import os
from pathlib import Path

import msgspec

from building.document import PACKAGE
from plantstore.feature import load
from plantstore.features import FEATURES

BUILT = PACKAGE / "built"


def write_site(folder: Path) -> None:
    """Write each feature's files; each write is atomic, as a program may start meanwhile."""
    folder.mkdir(exist_ok=True)
    for name, feature in FEATURES.items():
        if feature.builds is not None:
            part = folder / f"{name}.{os.getpid()}"
            make_files = load(f"features.{name}.{feature.builds}")
            part.write_bytes(msgspec.msgpack.encode(make_files()))
            part.replace(folder / f"{name}.msgpack")
