"""Waits for a server that could not be reached at the start, and then checks its schema."""

import asyncio

import psycopg

from plantstore.postgres.availability import Availability
from plantstore.postgres.citus.distributing import IS_DISTRIBUTED
from plantstore.postgres.connection import require_schema_of
from plantstore.postgres.hosts import Hosts

_RETRY_SECONDS = 0.5


async def wait_for_schema(url: str, seconds: float, availability: Availability) -> bool:
    """Return when the server can be used, and whether the tables are distributed.

    An attempt takes at most ``seconds``. Failures are reported to ``availability``.

    :raises SetupError: its schema is of another version; the message says what to do.
    """
    hosts = Hosts(url, prepares=False)
    while True:
        await asyncio.sleep(_RETRY_SECONDS)
        try:
            async with asyncio.timeout(2 * seconds), await hosts.connect(seconds) as connection:
                await require_schema_of(connection)
                cursor = await connection.execute(IS_DISTRIBUTED)
                ((is_distributed,),) = await cursor.fetchall()
                return bool(is_distributed)
        except (TimeoutError, psycopg.Error) as error:
            availability.fail("waiting for the database", error)
