"""Scopes as databases store them: one text, separated by commas."""

from collections.abc import Collection
from functools import cache

from plantstore.core.model import Role, Scope


def to_text(scopes: Collection[Scope]) -> str:
    return ",".join(scope for scope in Scope if scope in scopes)


@cache  # there are few texts
def from_text(text: str) -> frozenset[Scope]:
    """Decode a stored text, without scopes that only a later version knows."""
    return frozenset(scope for scope in Scope if scope in text.split(","))


@cache  # there are few pairs
def read_access(role_name: str | None, scopes: str) -> tuple[Role | None, frozenset[Scope]]:
    """A member's role and permissions with a token of these scopes; none without a role."""
    if role_name is None:
        return None, frozenset()
    role = Role(role_name)
    return role, from_text(scopes) & role.scopes
