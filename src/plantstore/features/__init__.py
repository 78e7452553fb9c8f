"""The features, in the order of their names: each is a folder here, which can be deleted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plantstore.feature import Feature, load

_FOLDERS = sorted(file.parent.name for file in Path(__file__).parent.glob("*/__init__.py"))
FEATURES: dict[str, Feature] = {name: load(f"features.{name}.FEATURE") for name in _FOLDERS}


def load_parts(part: str) -> Iterator[Any]:
    """Import this part, such as ``adds_to``, of every feature that has one."""
    for name, feature in FEATURES.items():
        if place := getattr(feature, part):
            yield load(f"features.{name}.{place}")
