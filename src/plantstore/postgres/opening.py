"""Waits for a server that could not be reached at the start, and then checks its schema."""

import asyncio

import psycopg

from plantstore.postgres.availability import Availability
from plantstore.postgres.connection import require_schema_of
from plantstore.postgres.hosts import Hosts

_RETRY_SECONDS = 0.5


async def wait_for_schema(url: str, seconds: float, availability: Availability) -> None:
    """Return when the server can be used. An attempt takes at most ``seconds``.

    :raises SetupError: its schema is of another version; the message says what to do.
    """
    hosts = Hosts(url, prepares=False)
    while not availability.is_open:
        await asyncio.sleep(_RETRY_SECONDS)
        try:
            async with asyncio.timeout(2 * seconds), await hosts.connect(seconds) as connection:
                await require_schema_of(connection)
        except (TimeoutError, psycopg.Error) as error:
            availability.fail("waiting for the database", error)
        else:
            availability.is_open = True
            availability.note_read()
