"""Scopes as the databases store them: one text, separated by commas."""

from collections.abc import Iterable
from functools import cache

from plantstore.model import Scope

_NAMES = frozenset(Scope)


def to_text(scopes: Iterable[Scope]) -> str:
    """The text to store."""
    return ",".join(sorted(scopes))


@cache  # of the few texts that there are
def from_text(text: str) -> frozenset[Scope]:
    """The scopes of a stored text, but for those that only a later version knows."""
    return frozenset(Scope(name) for name in text.split(",") if name in _NAMES)
