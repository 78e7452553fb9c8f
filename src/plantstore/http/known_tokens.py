"""Tokens that were valid when they were last used: their keys, and their callers.

A caller here is current as long as nothing was committed since. For a write, a caller of the last
seconds is enough, because its transaction checks it again. So a valid token is looked up once, and
does not count as a guess.
"""

import time

from msgspec import Struct

from plantstore.core.model import Caller

_MAX_TOKENS = 10_000
_MAX_STORES = 64  # of one token
_MAX_AGE_SECONDS = 10.0  # a token's last use is as precise


class KnownToken(Struct):
    """A valid token: its store and hash, and its callers by the store's name, None for its own.

    Until ``writes_until``, a time in seconds, a write may begin with the caller of its own store.
    """

    store_id: int | None
    token_hash: bytes
    callers: dict[str | None, Caller]
    writes_until: float = 0.0


class KnownTokens:
    """The ``tokens`` by a client's Authorization header; new ones replace the oldest."""

    def __init__(self) -> None:
        self.tokens: dict[bytes | None, KnownToken] = {}

    def put(self, sent: bytes, store_name: str | None, caller: Caller) -> None:
        """Add a caller that was looked up."""
        known = self.tokens.get(sent)
        if known is None:
            if len(self.tokens) >= _MAX_TOKENS:
                del self.tokens[next(iter(self.tokens))]
            known = KnownToken(caller.token_store_id, caller.token_hash, {})
            self.tokens[sent] = known
        elif len(known.callers) >= _MAX_STORES:
            self.expire(sent)
        known.callers[store_name] = caller
        if store_name is None:
            known.writes_until = time.time() + _MAX_AGE_SECONDS
            if caller.expires_at is not None:
                known.writes_until = min(known.writes_until, caller.expires_at / 1000)

    def expire(self, sent: bytes | None) -> None:
        """Make the next request look up the token's callers."""
        known = self.tokens.get(sent)
        if known is not None:
            known.callers.clear()
            known.writes_until = 0.0

    def evict(self, sent: bytes) -> None:
        """Remove a token that is not valid."""
        self.tokens.pop(sent, None)
