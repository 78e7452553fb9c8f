"""Distributes the tables of a database, and tells whether they are."""

from pathlib import Path

from psycopg import Connection

from plantstore.errors import SetupError
from plantstore.sql.queries import load_queries, read_queries

_QUERIES = Path(__file__).with_name("queries.sql")
IS_DISTRIBUTED = "SELECT EXISTS (SELECT FROM schema_migrations WHERE number = -1)"


def is_distributed(connection: Connection) -> bool:
    """Whether the tables are distributed."""
    row = connection.execute(IS_DISTRIBUTED).fetchone()
    return row is not None and bool(row[0])


def require_citus(connection: Connection) -> None:
    """Refuse a database whose tables cannot be distributed.

    :raises SetupError: it is one.
    """
    if not connection.execute("SELECT FROM pg_extension WHERE extname = 'citus'").rowcount:
        raise SetupError(
            "the database has no Citus: CREATE EXTENSION citus on all of its servers, and add the "
            "workers with citus_add_node (see docs/scaling.md)"
        )


def distribute(connection: Connection) -> None:
    """Distribute what is not distributed yet, within a transaction."""
    connection.execute("SET LOCAL client_min_messages = warning")
    connection.execute(Path(__file__).with_name("distribute.sql").read_bytes())


def citus_queries() -> dict[str, str]:
    """The named queries for distributed tables."""
    return load_queries("plantstore.postgres") | read_queries(_QUERIES)
