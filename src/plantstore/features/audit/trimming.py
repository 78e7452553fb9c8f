"""Trims the audit trail once an hour."""

from plantstore.features.audit import AuditSettings
from plantstore.http.app import App
from plantstore.sql.session import Session

_HOUR = 3600.0


def add_trimming(app: App) -> None:
    app.trim(app.settings.of(AuditSettings).audit_keep, trim_audit)


def trim_audit(session: Session, before: int) -> float:
    """Delete entries from before a time; returns the seconds until the next run."""
    with session.transaction():
        session.query("trim_audit", before)
    return _HOUR
