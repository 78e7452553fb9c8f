"""Cases that features add to the core's tests, which cover every feature that is installed."""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from plantstore.features import FEATURES


def feature_cases(module: str, name: str) -> Iterator[Any]:
    """The values of this name in this module, from the tests of each feature that has it."""
    for feature in FEATURES:
        path = f"tests.features.{feature}.{module}"
        if find_spec(path):
            yield getattr(import_module(path), name)
