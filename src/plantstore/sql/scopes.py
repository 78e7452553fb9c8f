"""Scopes as the databases store them: one text, separated by commas."""

from collections.abc import Iterable

from plantstore.model import Scope


def to_text(scopes: Iterable[Scope]) -> str:
    """The text to store."""
    return ",".join(sorted(scopes))


def from_text(text: str) -> frozenset[Scope]:
    """The scopes of a stored text."""
    return frozenset(map(Scope, text.split(",")))
