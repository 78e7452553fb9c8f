"""The features: each is a folder, which can be deleted together with its line here."""

from collections.abc import Iterator
from typing import Any

from plantstore.feature import Feature, load

_NAMES = (
    "access",
    "audit",
    "backups",
    "changes",
    "citus",
    "events",
    "logs",
    "metrics",
    "page",
    "reference",
    "status",
    "tags",
    "transfer",
    "webhooks",
)
FEATURES: dict[str, Feature] = {name: load(f"features.{name}.FEATURE") for name in _NAMES}


def load_parts(part: str) -> Iterator[Any]:
    """Import this part, such as ``adds_to``, of every feature that has one."""
    for name, feature in FEATURES.items():
        if place := getattr(feature, part):
            yield load(f"features.{name}.{place}")
