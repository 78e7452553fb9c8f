"""Notes when tokens are used, in memory, until they are written together.

Invariant: a request whose caller is cached needs no note. On SQLite the cache is valid only until
the next commit, and writing the notes is one: so each token that is in use is looked up, and noted,
again after each writing.
"""

from collections.abc import Awaitable, Callable, Sequence
from itertools import islice

from plantstore.core.clock import now

MAX_WRITTEN = 500  # in a statement, which takes some milliseconds
_MAX_NOTED = 50_000  # between two writings; about 10 MB

Use = tuple[int, bytes, int]  # the token's key, and Unix time in ms


class TokenUses:
    """When each token was looked up last since the last writing."""

    def __init__(self) -> None:
        self._noted: dict[tuple[int, bytes], int] = {}

    def note(self, store_id: int, token_hash: bytes, expires_at: int | None) -> None:
        """Note that a token is used now, unless it has expired."""
        at = now()
        if (expires_at is None or at < expires_at) and len(self._noted) < _MAX_NOTED:
            self._noted[store_id, token_hash] = at

    async def write(self, write: Callable[[Sequence[Use]], Awaitable[object]]) -> None:
        """Write all, ``MAX_WRITTEN`` at a time; keep those that cannot be written."""
        while keys := list(islice(self._noted, MAX_WRITTEN)):
            uses = [(*key, self._noted.pop(key)) for key in keys]
            try:
                await write(uses)
            except BaseException:
                self._noted = {(store, token): at for store, token, at in uses} | self._noted
                raise
