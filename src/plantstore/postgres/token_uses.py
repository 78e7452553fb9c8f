"""Writes when tokens were used last; a failure says nothing about other work."""

from collections.abc import Sequence

import psycopg

from plantstore.errors import DatabaseUnavailableError
from plantstore.postgres.pool import Pool
from plantstore.sql.token_uses import Use


async def write_uses(pool: Pool, sql: str, uses: Sequence[Use]) -> None:
    """Write them in one statement, which skips tokens that another process is writing.

    :raises DatabaseUnavailableError: it failed; the reason is logged.
    """
    columns = [list(column) for column in zip(*uses, strict=True)]
    async with pool.acquire() as connection:
        try:
            await connection.execute(sql, columns, binary=True)
        except psycopg.Error as error:
            pool.availability.warn("the last use of tokens was not written", error)
            raise DatabaseUnavailableError from error
