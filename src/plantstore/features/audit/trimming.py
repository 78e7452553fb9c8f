"""Trims the audit trail once an hour."""

from functools import partial

from plantstore.features.audit import AuditSettings
from plantstore.http.app import App
from plantstore.sql.trimming import delete_rows

trim_audit = partial(delete_rows, "trim_audit", 3600.0)


def add_trimming(app: App) -> None:
    app.trim(app.settings.of(AuditSettings).audit_keep, trim_audit)
