"""Logs refused, slow and failed requests, or all if the setting says so.

Invariants: a request that is not logged costs a comparison. One failed request a second is logged
per reason, but all internal errors are. A flood of refusals leaves lines for others: each of 32
groups of stores and networks has a limit. Of a well-formed token only the id is logged.
"""

import logging
import math
import time

from plantstore.core.errors import ForbiddenError
from plantstore.core.failures import RepeatLimit, observing
from plantstore.core.model import token_id_of
from plantstore.core.pools import network_of
from plantstore.core.tokens import hash_token, is_well_formed
from plantstore.features.logs import LogsSettings
from plantstore.http.app import App, Observer
from plantstore.http.log_lines import describe_caller, describe_request
from plantstore.server.messages import Request, Response, Stream

requests_logger = logging.getLogger("plantstore.requests")
security_logger = logging.getLogger("plantstore.security")

_INTERNAL, _FAILURES = 50001, 50000
_READINESS = "/readyz"  # /readyz logs by itself when the service is not ready
_MAX_SLOW, _MAX_REFUSALS, _MAX_OF_GROUP = 100, 50, 10  # lines a second
_REFUSALS = {
    40102: "token refused",
    40301: "permission refused",
    40406: "code refused",
    42901: "rate limit exceeded",
}


def add_logs(app: App) -> None:
    settings = app.settings.of(LogsSettings)
    slow_seconds = settings.slow_request or math.inf
    observe = _observe_requests(app, slow_seconds, logs_all=settings.access_log)
    app.observe(observe, 0.0 if settings.access_log else slow_seconds)
    app.observe(_observe_refusals(app), math.inf)
    if settings.access_log:
        app.handle_all()


def _observe_requests(app: App, slow_seconds: float, *, logs_all: bool) -> Observer:
    limit = RepeatLimit()

    def count_suppressed(request: Request, error: int, *, is_slow: bool) -> int | None:
        """How many lines of the same failure were suppressed so far; None to suppress this."""
        if logs_all or error == _INTERNAL:
            return 0
        if error > _FAILURES:
            return None if request.route == _READINESS else limit.admit(f"request failed {error}")
        return limit.admit("slow request", lines=_MAX_SLOW) if is_slow else None

    def observe(request: Request, response: Response | Stream, seconds: float) -> None:
        error, is_slow = response.error, seconds >= slow_seconds
        suppressed = count_suppressed(request, error, is_slow=is_slow)
        if suppressed is None:
            return
        level, message = (logging.WARNING, "slow request") if is_slow else (logging.INFO, "request")
        if error > _FAILURES:
            level = logging.ERROR if error == _INTERNAL else logging.WARNING
            message = "request failed"
        fields = describe_request(request, app.client_address(request))
        fields["status"] = response.status
        if error:
            fields["error_number"] = error
        fields |= {"duration_ms": round(seconds * 1000, 3)} | describe_caller(request)
        if suppressed:
            fields["suppressed"] = suppressed
        if isinstance(response, Stream):
            _log_at_end(response, level, message, fields)
            return
        fields["body_bytes"] = 0 if request.method == "HEAD" else len(response.body)
        requests_logger.log(level, message, extra={"fields": fields})

    return observe


def _log_at_end(stream: Stream, level: int, message: str, fields: dict[str, object]) -> None:
    began = time.perf_counter()

    @observing
    def log(sent: int, is_whole: bool) -> None:  # noqa: FBT001 - as ``Stream`` tells it
        fields.update(body_bytes=sent, whole=is_whole)
        fields["stream_ms"] = round((time.perf_counter() - began) * 1000, 3)
        requests_logger.log(level, message, extra={"fields": fields})

    stream.observers.append(log)


def _observe_refusals(app: App) -> Observer:
    limit = RepeatLimit()

    def observe(request: Request, response: Response | Stream, _seconds: float) -> None:
        message = _REFUSALS.get(response.error)
        if message is None:
            return
        group = hash(request.holder or network_of(app.client_address(request))) % 32
        of_group = limit.admit(f"refused {group}", lines=_MAX_OF_GROUP)
        if of_group is None or (of_all := limit.admit("refused", lines=_MAX_REFUSALS)) is None:
            return
        fields = describe_request(request, app.client_address(request))
        fields["error_number"] = response.error
        fields |= describe_caller(request) or _describe_token(request)
        if isinstance(request.refusal, ForbiddenError):
            fields["scope"] = request.refusal.details["scope"]
        if suppressed := of_group + of_all + limit.take_suppressed():
            fields["suppressed"] = suppressed
        security_logger.warning(message, extra={"fields": fields})

    return observe


def _describe_token(request: Request) -> dict[str, object]:
    """The id of the request's token, if it has the form of a token."""
    token = request.headers.get(b"authorization", b"")[len(b"Bearer ") :].strip().decode("latin-1")
    return {"token_id": token_id_of(hash_token(token))} if is_well_formed(token) else {}
