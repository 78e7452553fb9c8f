"""Idempotency keys: read from the header, and seen to run once at a time."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from plantstore.errors import KeyRunningError
from plantstore.http.errors import BadIdempotencyKeyError
from plantstore.model import Caller, IdempotencyKey

_PRINTABLE = re.compile(rb"[\x20-\x7e]{1,255}")


def read_key(headers: Mapping[bytes, bytes], body: bytes) -> IdempotencyKey | None:
    """The request's key with its body's fingerprint, or None where it has no key.

    :raises BadIdempotencyKeyError: the key has another form.
    """
    key = headers.get(b"idempotency-key")
    if key is None:
        return None
    key = key.strip(b" \t")  # the parser leaves what stands behind it
    if not _PRINTABLE.fullmatch(key):
        raise BadIdempotencyKeyError
    return IdempotencyKey(key.decode(), hashlib.sha256(body).digest())


class RunningKeys:
    """The keys of the requests that run in this process.

    Requests that run in another one meet in the database, where the later finds the first's
    outcome.
    """

    def __init__(self) -> None:
        self._running: set[tuple[int, int, str]] = set()

    @contextmanager
    def only(self, caller: Caller, key: IdempotencyKey) -> Iterator[None]:
        """Keep others with the same key out.

        :raises KeyRunningError: there is one.
        """
        entry = (caller.store_id, caller.user_id, key.key)
        if entry in self._running:
            raise KeyRunningError
        self._running.add(entry)
        try:
            yield
        finally:
            self._running.discard(entry)
