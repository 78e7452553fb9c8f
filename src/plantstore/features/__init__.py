"""The features: each is a folder, which can be deleted together with its line here."""

from importlib import import_module

from plantstore.feature import Feature

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
FEATURES: tuple[Feature, ...] = tuple(
    import_module(f"{__name__}.{name}").FEATURE for name in _NAMES
)
