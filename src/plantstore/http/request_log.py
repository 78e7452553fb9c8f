"""Logs requests: those that were slow or failed, and all of them where that is asked for.

Invariant: what is not logged costs a comparison. A flood of failures is not logged whole, but for
those whose cause is in the log, too.
"""

import logging
import math
import time

from msgspec import Struct

from plantstore.http.client_address import ClientAddress
from plantstore.http.line_limit import LineLimit
from plantstore.http.log_fields import describe_caller, describe_request
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
            line = _Line(*_choose_level(error, is_slow=is_slow))
            line.fields |= describe_request(request, self._client_address)
            line.fields |= _describe_response(response, seconds) | describe_caller(request)
            _write(line, request, response)


class _Line(Struct):
    level: int
    message: str
    fields: dict[str, object] = {}

    def write(self) -> None:
        logger.log(self.level, self.message, extra={"fields": self.fields})


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


def _write(line: _Line, request: Request, response: Response | Stream) -> None:
    if isinstance(response, Response):
        line.fields["body_bytes"] = 0 if request.method == "HEAD" else len(response.body)
        line.write()
        return
    began = time.perf_counter()

    def write_at_end(sent: int, is_whole: bool) -> None:  # noqa: FBT001 - as ``Stream`` tells it
        stream_ms = _to_milliseconds(time.perf_counter() - began)
        line.fields |= {"body_bytes": sent, "whole": is_whole, "stream_ms": stream_ms}
        line.write()

    response.observers.append(write_at_end)


def _to_milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 3)
