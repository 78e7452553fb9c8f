"""Measures the facts once a minute for metrics, in one process."""

import asyncio
import math
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

from plantstore.core.clock import now
from plantstore.core.errors import PlantStoreError
from plantstore.databases import find_file
from plantstore.features.status import FEATURE
from plantstore.features.status.facts import SOON_MS, read_certificate_end, read_free
from plantstore.http.app import App

_SECONDS = 60.0


def add_gauges(app: App) -> None:
    """Have the gauges, which are not numbers until the database could be read."""
    if app.process.number == 0:
        values = {metric.name: math.nan for metric in FEATURE.metrics}
        if find_file(app.settings.database) is None:
            del values["disk_free_bytes"]
        app.gauges |= {name: partial(values.__getitem__, name) for name in values}
        app.run_beside(_measure(app, values))


async def _measure(app: App, values: dict[str, float]) -> None:
    while True:
        with suppress(PlantStoreError, OSError):
            values |= await _read(app)
        await asyncio.sleep(_SECONDS)


async def _read(app: App) -> Mapping[str, float]:
    settings = app.settings
    rows = await app.database.read("read_status", now(), now() + SOON_MS)
    backup_at, verified_at, tokens = rows[0]
    ends_at, free = read_certificate_end(settings.tls_cert), read_free(settings.database)
    return {
        "backup_timestamp_seconds": (backup_at or 0) / 1000,
        "verified_backup_timestamp_seconds": (verified_at or 0) / 1000,
        "certificate_expiry_timestamp_seconds": math.inf if ends_at is None else ends_at / 1000,
        "tokens_expiring": tokens,
        **({} if free is None else {"disk_free_bytes": free}),
    }
