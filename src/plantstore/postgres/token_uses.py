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
    await _write(pool, sql, columns)


async def write_each_use(pool: Pool, sql: str, uses: Sequence[Use]) -> None:
    """Write each in a statement of its own, as distributed tables need it.

    :raises DatabaseUnavailableError: one failed; the reason is logged.
    """
    for use in uses:
        await _write(pool, sql, use)


async def _write(pool: Pool, sql: str, arguments: Sequence[object]) -> None:
    async with pool.acquire() as connection:
        try:
            await connection.execute(sql, arguments, binary=True)
        except psycopg.Error as error:
            pool.availability.warn("the last use of tokens was not written", error)
            raise DatabaseUnavailableError from error
