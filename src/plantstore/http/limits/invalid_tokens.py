"""Bounds the cost of invalid tokens, without refusing valid ones.

A repeated token, as of a broken client, has a count of its own; different tokens, as in guessing,
are counted by address. Beyond the rate they are refused with 42901. Malformed and repeated tokens
cost no query.
"""

from plantstore.core.errors import InvalidTokenError
from plantstore.core.pools import network_of
from plantstore.core.tokens import can_be_declared, is_well_formed
from plantstore.http.limits.rates import Rates, require


class InvalidTokens:
    """Allows each address ``count`` invalid tokens per ``seconds``. Keeps only hashes of tokens."""

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
