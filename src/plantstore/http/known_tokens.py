"""A cache of valid tokens: their keys and callers.

A cached caller is current until the next commit. For a write, a caller of the last ten seconds
suffices, because the transaction checks the token again. A known token never counts as a guess.
"""

import time

from msgspec import Struct

from plantstore.core.model import Caller, Principal

_MAX_TOKENS = 10_000
_MAX_STORES = 64  # per token
_MAX_AGE_SECONDS = 10.0  # also the precision of a token's last use


class KnownToken(Struct):
    """A valid token: its user and hash, and callers by store name (None: the token's own store).

    Until ``writes_until``, in seconds, writes to the own store may begin with the cached caller.
    """

    principal: Principal
    token_hash: bytes
    callers: dict[str | None, Caller] = {}
    writes_until: float = 0.0


class KnownTokens:
    """The known ``tokens`` by Authorization header; new ones evict the oldest."""

    def __init__(self) -> None:
        self.tokens: dict[bytes | None, KnownToken] = {}

    def add(self, sent: bytes, principal: Principal, token_hash: bytes) -> KnownToken:
        """Add a valid token."""
        if len(self.tokens) >= _MAX_TOKENS:
            del self.tokens[next(iter(self.tokens))]
        known = self.tokens[sent] = KnownToken(principal, token_hash)
        return known

    def put(self, sent: bytes, store_name: str | None, caller: Caller) -> None:
        """Cache a caller that was looked up, unless its token was evicted since."""
        known = self.tokens.get(sent)
        if known is None:
            return
        if len(known.callers) >= _MAX_STORES:
            self.expire(sent)
        known.callers[store_name] = caller
        if store_name is None:
            known.writes_until = time.time() + _MAX_AGE_SECONDS
            if caller.expires_at is not None:
                known.writes_until = min(known.writes_until, caller.expires_at / 1000)

    def expire(self, sent: bytes | None) -> None:
        """Drop the token's callers: the next request looks them up."""
        known = self.tokens.get(sent)
        if known is not None:
            known.callers.clear()
            known.writes_until = 0.0
