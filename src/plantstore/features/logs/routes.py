"""Adds the logs of requests to an application."""

import math

from plantstore.features.logs import LogsSettings
from plantstore.features.logs.request_log import RequestLog
from plantstore.features.logs.security_log import SecurityLog
from plantstore.http.app import App


def add_logs(app: App) -> None:
    settings = app.settings.of(LogsSettings)
    slow_seconds = settings.slow_request or math.inf
    requests = RequestLog(app.client_address, slow_seconds, logs_all=settings.access_log)
    app.observe(requests.observe, 0.0 if settings.access_log else slow_seconds)
    app.observe(SecurityLog(app.client_address).observe, math.inf)
    if settings.access_log:
        app.handle_all()
