"""What features' tests add to the core's tests, which hold for all that is there."""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from plantstore.features import FEATURES


def of_features(module: str, name: str) -> Iterator[Any]:
    """Of each feature whose tests have this module, what has this name in it."""
    for feature in FEATURES:
        path = f"tests.features.{feature.name}.{module}"
        if find_spec(path):
            yield getattr(import_module(path), name)
