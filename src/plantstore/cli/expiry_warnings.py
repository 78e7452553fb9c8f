"""Logs, soon after the start of the service and once a day, which tokens expire soon.

A thread of the first process does it, whatever the number of workers.
"""

import logging
import threading
import time
from contextlib import closing

from plantstore.bootstrap import open_administration
from plantstore.cli.output import format_time
from plantstore.clock import now
from plantstore.errors import SetupError

logger = logging.getLogger("plantstore.tokens")

_START_SECONDS = 1.0  # for the service to become ready, which this would delay
_DAY_SECONDS = 24 * 3600.0
_AGAIN_SECONDS = 600.0  # where the database is away
_MAX_LINES = 100


def warn_daily(database: str) -> None:
    """Warn now and then, until the process ends."""
    threading.Thread(target=_warn, args=(database,), name="expiry", daemon=True).start()


def _warn(database: str) -> None:
    time.sleep(_START_SECONDS)
    while True:
        try:
            warn_of_expiring(database)
        except SetupError:  # the serving processes tell of it
            time.sleep(_AGAIN_SECONDS)
        else:
            time.sleep(_DAY_SECONDS)


def warn_of_expiring(database: str) -> None:
    """A line for each token that expires within 14 days.

    :raises SetupError: the database is not there, or cannot be read.
    """
    from plantstore.sql.administered import SOON_MS  # noqa: PLC0415 - the start needs nothing of it

    with closing(open_administration(database)) as administration:
        found = administration.list_expiring(now() + SOON_MS, _MAX_LINES + 1)
    for token_id, expires_at in found[:_MAX_LINES]:
        fields = {"token_id": token_id, "expires_at": format_time(expires_at)}
        logger.warning("token expires soon", extra={"fields": fields})
    if len(found) > _MAX_LINES:
        logger.warning("more tokens expire soon: see `plantstore token list --expiring 14d`")
