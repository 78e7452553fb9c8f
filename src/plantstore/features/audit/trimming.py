"""Trims the audit trail once an hour, if the clock was not set recently."""

import asyncio
import time
from contextlib import closing, suppress

from plantstore.core.clock import DAY_MS, now
from plantstore.core.errors import SetupError
from plantstore.features.audit import AuditSettings
from plantstore.http.app import App
from plantstore.sql.session import OpenSession

_HOUR = 3600.0
_MAX_DRIFT = 60.0  # seconds


def add_trimming(app: App) -> None:
    """Let one process trim, unless entries are kept forever."""
    days = app.settings.of(AuditSettings).audit_keep
    if days and app.process.number == 0:
        app.run_beside(_trim(app.open_session, days))


async def _trim(open_session: OpenSession, days: float) -> None:
    while True:
        difference = time.time() - time.monotonic()
        await asyncio.sleep(_HOUR)
        if abs(time.time() - time.monotonic() - difference) < _MAX_DRIFT:
            with suppress(SetupError):  # in an hour, then
                await asyncio.to_thread(trim_audit, open_session, now() - int(days * DAY_MS))


def trim_audit(open_session: OpenSession, before: int) -> None:
    with closing(open_session()) as session, session.transaction():
        session.query("trim_audit", before)
