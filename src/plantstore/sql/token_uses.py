"""Records in memory when tokens are used, until the times are written together.

Invariant: a request whose caller is cached need not be recorded. On SQLite the cache is valid until
the next commit, and writing the times is a commit: so each token in use is looked up, and recorded,
again after each writing.
"""

from collections.abc import Awaitable, Callable, Sequence
from itertools import islice

from plantstore.core.clock import now

MAX_WRITTEN = 500  # per statement, which takes some milliseconds
_MAX_NOTED = 50_000  # until they are written; about 10 MB

Use = tuple[int, bytes, int]  # the token's key, and Unix time in ms


class TokenUses:
    """The last use of each token since the last writing, which ``write`` makes."""

    def __init__(self, write: Callable[[Sequence[Use]], Awaitable[object]]) -> None:
        self._write = write
        self._noted: dict[tuple[int, bytes], int] = {}

    def record(self, store_id: int, token_hash: bytes, expires_at: int | None) -> None:
        """Record that a token is used now, unless it has expired."""
        at = now()
        if (expires_at is None or at < expires_at) and len(self._noted) < _MAX_NOTED:
            self._noted[store_id, token_hash] = at

    async def write(self) -> None:
        """Write what was recorded until now, some at a time; keep what cannot be written."""
        for _ in range(0, len(self._noted), MAX_WRITTEN):
            uses = [(*key, self._noted.pop(key)) for key in list(islice(self._noted, MAX_WRITTEN))]
            try:
                await self._write(uses)
            except BaseException:
                self._noted = {(store, token): at for store, token, at in uses} | self._noted
                raise
