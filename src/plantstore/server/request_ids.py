"""Request ids: the client's own where it gives one, else one of ours.

Invariant: an id has no character that could end a header line, or part of a log line.
"""

import itertools
import os
import re

ID_FORM = rb"[A-Za-z0-9._~:/+=-]{1,128}"
_OWN_ID = re.compile(ID_FORM)
# Random for each process, so that ids of several processes and restarts do not meet.
PREFIX = f"{os.urandom(6).hex()}-".encode()
_numbers = itertools.count(1)

next_number = _numbers.__next__
next_id = map((PREFIX + b"%x").__mod__, _numbers).__next__  # a function of Python's takes longer


def read_id(value: bytes) -> bytes:
    """The client's id; empty where it has another form, or there is none."""
    return value if _OWN_ID.fullmatch(value) else b""
