"""Trims the audit trail once an hour, in small steps between other writes."""

from plantstore.features.audit import AuditSettings
from plantstore.http.app import App
from plantstore.sql.session import Session

_ROUND_SECONDS = 3600.0
_STEP_SECONDS = 0.02  # between two steps, for other writes
_ROWS = 500  # deleted per step


def add_trimming(app: App) -> None:
    app.trim(app.settings.of(AuditSettings).audit_keep, trim_audit)


def trim_audit(session: Session, before: int) -> float:
    """Delete some entries from before a time; returns the seconds until the next step."""
    with session.transaction():
        deleted = session.query("trim_audit", before, _ROWS)
    return _STEP_SECONDS if deleted else _ROUND_SECONDS
