"""Logs requests: slow and failed requests, or all if that is set.

Invariant: what is not logged costs a comparison. For each reason, one failed request a second is
logged; internal errors are all logged.
"""

import logging
import time

from plantstore.core.failures import RepeatLimit
from plantstore.features.logs.line_limit import LineLimit
from plantstore.http.limits.client_address import ClientAddress
from plantstore.http.log_lines import describe_caller, describe_request
from plantstore.server.messages import Request, Response, Stream

logger = logging.getLogger("plantstore.requests")

_INTERNAL, _FAILURES = 50001, 50000
_READINESS = "/readyz"  # it logs itself when the service is not ready
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
        level, message = logging.INFO, "request"
        if error > _FAILURES:
            level = logging.ERROR if error == _INTERNAL else logging.WARNING
            message = "request failed"
        elif is_slow:
            level, message = logging.WARNING, "slow request"
        fields = describe_request(request, self._client_address) | {"status": response.status}
        if error:
            fields["error_number"] = error
        fields |= {"duration_ms": _to_milliseconds(seconds)} | describe_caller(request)
        if suppressed:
            fields["suppressed"] = suppressed
        if isinstance(response, Stream):
            _log_at_end(response, level, message, fields)
            return
        fields["body_bytes"] = 0 if request.method == "HEAD" else len(response.body)
        logger.log(level, message, extra={"fields": fields})

    def _limit(self, request: Request, error: int, *, is_slow: bool) -> int | None:
        """How many lines of the same failure were suppressed before this; None without a line."""
        if self._logs_all or error == _INTERNAL:
            return 0
        if error > _FAILURES:
            is_readiness = request.route == _READINESS
            return None if is_readiness else self._failure_limit.admit(f"request failed {error}")
        return 0 if is_slow and self._slow_limit.admits() else None


def _log_at_end(stream: Stream, level: int, message: str, fields: dict[str, object]) -> None:
    began = time.perf_counter()

    def log(sent: int, is_whole: bool) -> None:  # noqa: FBT001 - as ``Stream`` tells it
        fields.update(body_bytes=sent, whole=is_whole)
        fields["stream_ms"] = _to_milliseconds(time.perf_counter() - began)
        logger.log(level, message, extra={"fields": fields})

    stream.observers.append(log)


def _to_milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 3)
