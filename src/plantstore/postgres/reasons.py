"""What PostgreSQL's errors mean, as a message of ``/readyz``.

Invariant: of the server's own messages it has only the phrases listed here, since the rest may have
names of hosts, users and files.
"""

import psycopg
from psycopg import errors

AWAY = "PostgreSQL cannot be reached: "
SILENT = AWAY + "it does not respond in time"
READ_ONLY = "PostgreSQL cannot be written: it is read-only"

# Of errors of connecting; the first one found in the message counts.
_PHRASES = (
    "connection refused",
    "no such file or directory",
    "name or service not known",
    "temporary failure in name resolution",
    "no route to host",
    "network is unreachable",
    "the database system is starting up",
    "the database system is shutting down",
    "the database system is in recovery mode",
    "too many clients already",
    "remaining connection slots are reserved",
    "password authentication failed",
    "no password supplied",
    "no pg_hba.conf entry",
    "certificate verify failed",
)
_TIMEOUTS = ("timeout", "timed out")

# Not temporary: somebody has to change the URL or the server.
_PERMANENT = (
    "authentication failed",
    "no password supplied",
    "does not exist",
    "no pg_hba.conf entry",
    "certificate",
    "does not support ssl",
    "permission denied",
)
_REFUSALS: dict[type[psycopg.Error], str] = {
    errors.ReadOnlySqlTransaction: READ_ONLY,
    errors.DiskFull: "PostgreSQL cannot be written: its disk is full",
    errors.InsufficientPrivilege: "PostgreSQL cannot be used: the role lacks a privilege",
    errors.UndefinedTable: "PostgreSQL cannot be used: a table is missing",
}


def explain(error: BaseException) -> str:
    """The message for an error of psycopg, or for a timeout."""
    if isinstance(error, psycopg.Error) and error.sqlstate is not None:
        refused = f"PostgreSQL cannot be used: error {error.sqlstate}, see the log"
        return _REFUSALS.get(type(error), refused)
    text = str(error).lower()
    if isinstance(error, TimeoutError) or any(phrase in text for phrase in _TIMEOUTS):
        return SILENT
    if "session is read-only" in text:  # as libpq says where a writable one was asked for
        return READ_ONLY
    lost = "the connection was lost, see the log"
    return AWAY + next((phrase for phrase in _PHRASES if phrase in text), lost)


def is_temporary(error: psycopg.Error) -> bool:
    """Whether connecting may succeed later: the server is down, unreachable or starting."""
    text = str(error).lower()
    return isinstance(error, psycopg.OperationalError) and not any(
        one in text for one in _PERMANENT
    )
