"""Bounds the cost of invalid tokens, without refusing valid ones.

One token that is sent again and again, as by a broken client, is counted by itself; different ones,
as in guessing, are counted together by address. Beyond the rate they are refused with 42901;
malformed and repeated ones cost no query.
"""

import socket

from plantstore.errors import InvalidTokenError
from plantstore.http.limits.rates import MAX_KEYS, Rates, require
from plantstore.tokens import is_well_formed

_NETWORK_BYTES = 8  # of an IPv6 address: the rest is its owner's choice


class InvalidTokens:
    """At most ``count`` in ``seconds`` for each address. No token is kept, but its hash."""

    def __init__(self, count: int, seconds: float) -> None:
        self._networks = Rates(count, seconds)
        self._tokens = Rates(count, seconds)
        self._valid: dict[int, None] = {}

    def was_valid(self, token: str) -> bool:
        """Whether the token was valid when it came last, as far as is remembered."""
        return hash(token) in self._valid

    def check(self, address: str, token: str) -> None:
        """Return where only a look-up can tell whether the token is valid.

        :raises PlantStoreError: it is not, or it comes too early after others.
        """
        require(self._tokens.check((network_of(address), hash(token))))
        if not is_well_formed(token):
            self.count(address, token)
            raise InvalidTokenError

    def has_come_from(self, address: str) -> bool:
        """Whether guesses came from the address, as far as is remembered."""
        return network_of(address) in self._networks

    def count(self, address: str, token: str) -> None:
        """Count a token that is not valid.

        :raises RequestError: it comes too early after others.
        """
        network, key = network_of(address), hash(token)
        was_valid = self._valid.pop(key, 0) is None
        is_guess = not was_valid and (network, key) not in self._tokens
        self._tokens.take((network, key))
        if is_guess:
            require(self._networks.take(network))

    def clear(self, token: str) -> None:
        """Note that the token is valid."""
        if len(self._valid) >= MAX_KEYS:
            del self._valid[next(iter(self._valid))]
        self._valid[hash(token)] = None


def network_of(address: str) -> str | bytes:
    """What tells one client's addresses from another's."""
    if ":" not in address:
        return address
    return socket.inet_pton(socket.AF_INET6, address.partition("%")[0])[:_NETWORK_BYTES]
