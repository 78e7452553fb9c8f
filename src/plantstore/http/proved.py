"""List answers that need no look-up at all, because nothing was committed since they were made.

Invariant: an answer is given again only for the same token, target and condition, before the
token expires, and while the database's commit number proves that the caller, its permissions and
the plants are as they were.
"""

import time

from plantstore.database import Database
from plantstore.http.answers import Answer
from plantstore.http.request import Request
from plantstore.model import Caller

_ENTRY_OVERHEAD = 2500  # bytes of an entry beyond its body, at most
_TARGET_MAX = 1000

Identity = tuple[str, bytes, bytes, bytes | None, bytes | None]


class ProvedAnswers:
    """At most ``size`` bytes of answers, all made under one commit number."""

    def __init__(self, database: Database, size: int) -> None:
        self._database = database
        self._size = size
        self._used = 0
        self._number: int | None = None
        self._answers: dict[Identity, tuple[int | None, Answer]] = {}

    def find(self, request: Request) -> Answer | None:
        """The answer to the same request, if it is still right; only lists are kept."""
        if request.method not in ("GET", "HEAD"):
            return None
        request.commit_number = number = self._database.commit_number()
        if number is None or number != self._number:
            self._clear()
            self._number = number
            return None
        found = self._answers.get(_identify(request))
        if found is None:
            return None
        expires_at, answer = found
        if expires_at is not None and expires_at <= time.time() * 1000:
            return None
        return answer

    def keep(self, request: Request, caller: Caller, answer: Answer) -> None:
        """Keep an answer to a request that was looked for."""
        number = request.commit_number
        identity = _identify(request)
        if number is None or number != self._number or _is_long(identity):
            return
        self._used += len(answer.body) + _ENTRY_OVERHEAD
        if self._used > self._size:
            self._clear()
        else:
            self._answers[identity] = (caller.expires_at, answer)

    def _clear(self) -> None:
        self._answers.clear()
        self._used = 0


def _is_long(identity: Identity) -> bool:
    """Whether it would take more memory than usual to remember."""
    _, raw_path, query, token, condition = identity
    return len(raw_path) + len(query) + len(token or b"") + len(condition or b"") > _TARGET_MAX


def _identify(request: Request) -> Identity:
    headers = request.headers
    return (
        request.method,
        request.raw_path,
        request.query,
        headers.get(b"authorization"),
        headers.get(b"if-none-match"),
    )
