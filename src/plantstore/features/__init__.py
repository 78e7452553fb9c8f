"""The features: each is a folder, which can be deleted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plantstore.feature import Feature, load

# By the folder's name. What is left of a deleted folder may be a cache.
FEATURES: dict[str, Feature] = {
    file.parent.name: load(f"features.{file.parent.name}.FEATURE")
    for file in sorted(Path(__file__).parent.glob("*/__init__.py"))
}


def load_parts(part: str) -> Iterator[Any]:
    """Import this part, such as ``adds_to``, of every feature that has one."""
    for name, feature in FEATURES.items():
        if place := getattr(feature, part):
            yield load(f"features.{name}.{place}")
