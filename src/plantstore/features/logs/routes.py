"""Adds the logs of requests to an application."""

from plantstore.features.logs.request_log import RequestLog
from plantstore.features.logs.security_log import SecurityLog
from plantstore.http.app import App


def add_logs(app: App) -> None:
    """Have refused and slow requests logged, or all where the settings say so."""
    app.logs += [
        RequestLog(app.settings, app.client_address).observe,
        SecurityLog(app.client_address).observe,
    ]
