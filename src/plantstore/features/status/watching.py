"""Reads the facts for metrics once a minute, in one process."""

import asyncio
import math
from contextlib import suppress
from functools import partial

from plantstore.core.clock import now
from plantstore.core.errors import PlantStoreError
from plantstore.databases import find_file
from plantstore.features.status import FEATURE
from plantstore.features.status.facts import to_facts
from plantstore.http.app import App
from plantstore.sql.administration.tokens import SOON_MS

_SECONDS = 60.0


def add_gauges(app: App) -> None:
    """Add the gauges, which are NaN until the database has been read."""
    if app.number == 0:
        values = {metric.name: math.nan for metric in FEATURE.metrics}
        if find_file(app.settings.database) is None:
            del values["disk_free_bytes"], values["disk_size_bytes"]
        app.gauges |= {name: partial(values.__getitem__, name) for name in values}
        app.run_in_background(_measure(app, values))


async def _measure(app: App, values: dict[str, float]) -> None:
    while True:
        with suppress(PlantStoreError, OSError):
            (row,) = await app.database.read("read_status", now(), now() + SOON_MS)
            facts = to_facts(app.settings, row)
            begun_at = facts.created_at or now()
            ends_at = facts.certificate_ends_at
            expiry = math.inf if ends_at is None else ends_at / 1000
            values |= {
                "backup_timestamp_seconds": (facts.backup_at or begun_at) / 1000,
                "verified_backup_timestamp_seconds": (facts.verified_at or begun_at) / 1000,
                "certificate_expiry_timestamp_seconds": expiry,
                "tokens_expiring": facts.tokens_expiring,
                "disk_free_bytes": facts.disk_free or 0,
                "disk_size_bytes": facts.disk_size,
            }
        await asyncio.sleep(_SECONDS)
