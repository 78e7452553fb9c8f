"""Ids of requests: they stand in every answer's X-Request-Id and in the log lines about it."""

import itertools
import secrets

# Random for each process, so that ids of several processes and restarts do not meet.
_PREFIX = secrets.token_hex(6).encode()
_next = itertools.count(1).__next__


def make_request_id() -> bytes:
    """A new id, unique among all processes."""
    return b"%s-%x" % (_PREFIX, _next())
