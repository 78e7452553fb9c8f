"""Writes down, once a minute, when tokens were used last."""

import asyncio
from contextlib import suppress

from plantstore.core.database import Database
from plantstore.core.errors import PlantStoreError

_SECONDS = 60.0


async def keep_last_use(database: Database) -> None:
    """Write what was noted, until cancelled."""
    while True:
        await asyncio.sleep(_SECONDS)
        with suppress(PlantStoreError):  # which the database logs; it is written later
            await database.write_token_uses()
