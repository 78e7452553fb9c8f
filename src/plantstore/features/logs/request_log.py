"""Logs requests: those that were slow or failed, and all of them where that is asked for.

Invariant: what is not logged costs a comparison. Of the requests that fail for one reason, one a
second is logged, but all that failed by an error of ours.
"""

import logging
import time
from collections.abc import Callable
from functools import partial

from plantstore.core.failures import RepeatLimit
from plantstore.http.limits.client_address import ClientAddress
from plantstore.http.log_lines import LineLimit, describe_caller, describe_request
from plantstore.server.messages import Request, Response, Stream

logger = logging.getLogger("plantstore.requests")

_INTERNAL, _FAILURES = 50001, 50000
_READINESS = "/readyz"  # which logs itself when the service is not ready
_MAX_SLOW_LINES = 100  # a second


class RequestLog:
    """Writes the lines of a process's requests."""

    def __init__(
        self, client_address: ClientAddress, slow_seconds: float, *, logs_all: bool
    ) -> None:
        self._logs_all = logs_all
        self._slow_seconds = slow_seconds
        self._client_address = client_address
        self._slow_limit = LineLimit(logger, _MAX_SLOW_LINES)
        self._failure_limit = RepeatLimit()

    def observe(self, request: Request, response: Response | Stream, seconds: float) -> None:
        """See ``Observer``. A stream's line is written at its end."""
        error, is_slow = response.error, seconds >= self._slow_seconds
        suppressed = self._limit(request, error, is_slow=is_slow)
        if suppressed is None:
            return
        fields = describe_request(request, self._client_address)
        fields |= _describe_response(response, seconds) | describe_caller(request)
        if suppressed:
            fields["suppressed"] = suppressed
        log = partial(_log, *_choose_level(error, is_slow=is_slow), fields)
        if isinstance(response, Stream):
            response.observers.append(partial(_log_end, log, time.perf_counter()))
        else:
            log(body_bytes=0 if request.method == "HEAD" else len(response.body))

    def _limit(self, request: Request, error: int, *, is_slow: bool) -> int | None:
        """How many lines of the same failure were suppressed before this; None without a line."""
        if self._logs_all or error == _INTERNAL:
            return 0
        if error > _FAILURES:
            is_readiness = request.route == _READINESS
            return None if is_readiness else self._failure_limit.admit(f"request failed {error}")
        return 0 if is_slow and self._slow_limit.admits() else None


def _choose_level(error: int, *, is_slow: bool) -> tuple[int, str]:
    if error == _INTERNAL:
        return logging.ERROR, "request failed"
    if error > _FAILURES:
        return logging.WARNING, "request failed"
    return (logging.WARNING, "slow request") if is_slow else (logging.INFO, "request")


def _describe_response(response: Response | Stream, seconds: float) -> dict[str, object]:
    fields: dict[str, object] = {"status": response.status}
    if response.error:
        fields["error_number"] = response.error
    return fields | {"duration_ms": _to_milliseconds(seconds)}


def _log(level: int, message: str, fields: dict[str, object], **more: object) -> None:
    logger.log(level, message, extra={"fields": fields | more})


def _log_end(log: Callable[..., None], began: float, sent: int, is_whole: bool) -> None:  # noqa: FBT001 - as ``Stream`` tells it
    log(body_bytes=sent, whole=is_whole, stream_ms=_to_milliseconds(time.perf_counter() - began))


def _to_milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 3)
