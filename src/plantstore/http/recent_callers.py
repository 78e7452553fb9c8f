"""Callers as they were a moment ago: enough for a write, whose transaction checks them again."""

import time

from plantstore.model import Caller, Scope
from plantstore.tokens import PREFIX

_MAX_CALLERS = 10_000
# As nearly all clients send it; in all cases and with any spaces, a token would have many entries.
_BEGINNING = f"Bearer {PREFIX}_".encode()
_MAX_AGE_SECONDS = 10.0  # a token's last use is as exact


class RecentCallers:
    """The callers found last by their Authorization alone, until they are too old or expire."""

    def __init__(self) -> None:
        self._found: dict[bytes | None, tuple[Caller, float]] = {}

    def find(self, sent: bytes | None, scope: Scope) -> Caller | None:
        """The caller, if they could do this a moment ago."""
        caller, until = self._found.get(sent, _NOBODY)
        if caller is None or scope not in caller.permissions or time.time() >= until:
            return None
        return caller

    def note(self, sent: bytes, caller: Caller) -> None:
        """Remember who sends this."""
        if not sent.startswith(_BEGINNING):
            return
        if len(self._found) >= _MAX_CALLERS:
            self._found.clear()
        until = time.time() + _MAX_AGE_SECONDS
        if caller.expires_at is not None:
            until = min(until, caller.expires_at / 1000)
        self._found[sent] = caller, until

    def forget(self, sent: bytes | None) -> None:
        """Have the caller looked up next time."""
        self._found.pop(sent, None)


_NOBODY = (None, 0.0)
