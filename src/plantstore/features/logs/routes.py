"""Adds the logs of requests to an application."""

import math

from plantstore.features.logs import LogsSettings
from plantstore.features.logs.request_log import RequestLog
from plantstore.features.logs.security_log import SecurityLog
from plantstore.http.app import App
from plantstore.server.messages import Request, Response, Stream


def add_logs(app: App) -> None:
    """Have refused and slow requests logged, or all where the settings say so."""
    settings = app.settings.of(LogsSettings)
    slow_seconds = settings.slow_request or math.inf
    logged_seconds = 0.0 if settings.access_log else slow_seconds
    requests = RequestLog(app.client_address, slow_seconds, logs_all=settings.access_log)
    refusals = SecurityLog(app.client_address)

    def observe(request: Request, response: Response | Stream, seconds: float) -> None:
        if response.error or seconds >= logged_seconds:
            requests.observe(request, response, seconds)
            refusals.observe(request, response, seconds)

    app.observers.append(observe)
    if settings.access_log:
        app.handle_all()
