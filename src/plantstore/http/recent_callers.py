"""Callers as they were a moment ago: enough for a write, whose transaction checks them again."""

from plantstore.clock import now
from plantstore.model import Caller, Scope
from plantstore.tokens import parse_token

_MAX_CALLERS = 10_000
_MAX_AGE_MS = 10_000  # a token's last use is as exact


class RecentCallers:
    """The callers found last by their tokens alone, until they are too old or expire."""

    def __init__(self) -> None:
        self._found: dict[tuple[int | None, bytes], tuple[Caller, int]] = {}

    def find(self, token: str, scope: Scope) -> Caller | None:
        """The caller, if they could do this a moment ago."""
        caller, until = self._found.get(parse_token(token), _NOBODY)
        return caller if caller and scope in caller.permissions and now() < until else None

    def note(self, token: str, caller: Caller) -> None:
        """Remember who has this token."""
        if len(self._found) >= _MAX_CALLERS:
            self._found.clear()
        until = now() + _MAX_AGE_MS
        if caller.expires_at is not None:
            until = min(until, caller.expires_at)
        self._found[parse_token(token)] = caller, until

    def forget(self, token: str) -> None:
        """Have the token looked up next time."""
        self._found.pop(parse_token(token), None)


_NOBODY = (None, 0)
