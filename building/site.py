"""Writes the files that features have made when the package is built."""

import os
from pathlib import Path

import msgspec

from building.document import PACKAGE
from plantstore.features import FEATURES

BUILT = PACKAGE / "built"


def write_site(folder: Path) -> None:
    """Write the files of each feature, at once, as the program reads them at its start."""
    folder.mkdir(exist_ok=True)
    for feature in FEATURES:
        if feature.builds is not None:
            part = folder / f"{feature.name}.{os.getpid()}"
            part.write_bytes(msgspec.msgpack.encode(feature.load(feature.builds)()))
            part.replace(folder / f"{feature.name}.msgpack")
