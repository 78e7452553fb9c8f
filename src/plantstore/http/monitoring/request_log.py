"""Logs requests: those that were slow or failed, and all of them where that is asked for.

Invariant: what is not logged costs a comparison. A flood of failures is not logged whole, but for
those whose cause is in the log, too.
"""

import logging
import math
import time
from collections.abc import Callable
from functools import partial

from plantstore.http.limits.client_address import ClientAddress
from plantstore.http.monitoring.log_lines import LineLimit, describe_caller, describe_request
from plantstore.server.messages import Request, Response, Stream
from plantstore.settings import Settings

logger = logging.getLogger("plantstore.requests")

_INTERNAL, _FAILURES = 50001, 50000
_MAX_LINES = 100  # a second, of requests that are logged though not all are


class RequestLog:
    """Writes the lines of a process's requests, as ``access_log`` and ``slow_request`` say."""

    def __init__(self, settings: Settings, client_address: ClientAddress) -> None:
        self._logs_all = settings.access_log
        self._slow_seconds = settings.slow_request or math.inf
        self._client_address = client_address
        self._limit = LineLimit(logger, _MAX_LINES)

    def observe(self, request: Request, response: Response | Stream, seconds: float) -> None:
        """See ``Observer``. A stream's line is written at its end."""
        error, is_slow = response.error, seconds >= self._slow_seconds
        if not (self._logs_all or is_slow or error > _FAILURES):
            return
        if self._logs_all or error == _INTERNAL or self._limit.admits():
            fields = describe_request(request, self._client_address)
            fields |= _describe_response(response, seconds) | describe_caller(request)
            log = partial(_log, *_choose_level(error, is_slow=is_slow), fields)
            if isinstance(response, Stream):
                response.observers.append(partial(_log_end, log, time.perf_counter()))
            else:
                log(body_bytes=0 if request.method == "HEAD" else len(response.body))


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
