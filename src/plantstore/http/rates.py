"""Rate limits: of users, and of invalid tokens, without refusing valid ones."""

import heapq
import math
import time
from collections.abc import Hashable

from plantstore.core.errors import InvalidTokenError, RequestError
from plantstore.core.pools import network_of
from plantstore.core.tokens import can_be_declared, is_well_formed

_MAX_KEYS = 10_000
_TOLERANCE = 1e-6  # seconds, for rounding errors


class Rates:
    """Allows ``count`` per ``seconds``, even in one burst, for each of ``_MAX_KEYS`` keys.

    Each key has a token bucket, stored as one number: the time when it will be full again. A full
    bucket is the same as a new one, so it is not stored. With more keys, the fullest are evicted.
    """

    def __init__(self, count: int, seconds: float) -> None:
        self._interval = seconds / count
        self._seconds = seconds
        self._full_at: dict[Hashable, float] = {}

    def __contains__(self, key: Hashable) -> bool:
        return key in self._full_at

    def take(self, key: Hashable) -> int:
        """Take one of the key's tokens: returns 0, or the whole seconds until there is a token."""
        seconds = self.check(key)
        if not seconds:
            if len(self._full_at) >= _MAX_KEYS and key not in self._full_at:
                self._evict()
            now = time.monotonic()
            self._full_at[key] = max(self._full_at.get(key, now), now) + self._interval
        return seconds

    def check(self, key: Hashable) -> int:
        """The whole seconds until the key has a token; 0 if it has one."""
        full_at = self._full_at.get(key, 0.0) + self._interval
        missing = full_at - time.monotonic() - self._seconds
        return math.ceil(missing) if missing > _TOLERANCE else 0

    def _evict(self) -> None:
        # Half of them at once: finding the fullest takes a millisecond.
        emptiest = heapq.nlargest(_MAX_KEYS // 2, self._full_at.items(), lambda it: it[1])
        now = time.monotonic()
        self._full_at = {key: full_at for key, full_at in emptiest if full_at > now}


def require(seconds: int) -> None:
    """Refuse the request if it came these seconds too early.

    :raises RequestError: the number is not 0.
    """
    if seconds:
        raise RequestError(42901, retry_after=seconds)


class InvalidTokens:
    """Allows each address ``count`` invalid tokens per ``seconds``. Keeps only hashes of tokens.

    A repeated token, as of a broken client, has a count of its own; different tokens, as in
    guessing, are counted by address. Malformed and repeated tokens cost no query.
    """

    def __init__(self, count: int, seconds: float) -> None:
        self._networks = Rates(count, seconds)
        self._tokens = Rates(count, seconds)

    def check(self, address: str, token: str) -> None:
        """Return if only a lookup can tell whether the token is valid.

        :raises PlantStoreError: it is invalid, or comes too soon after others.
        """
        require(self._tokens.check((network_of(address), hash(token))))
        if not is_well_formed(token) and not can_be_declared(token):
            self.count(address, token, was_valid=False)
            raise InvalidTokenError

    def count(self, address: str, token: str, *, was_valid: bool) -> None:
        """Count an invalid token; a token that was valid before is not a guess.

        :raises RequestError: it comes too soon after others.
        """
        network, key = network_of(address), hash(token)
        is_guess = not was_valid and (network, key) not in self._tokens
        self._tokens.take((network, key))
        if is_guess:
            require(self._networks.take(network))
