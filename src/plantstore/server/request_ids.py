"""Request ids: the client's own where it gives one, else one of ours.

Invariant: an id has no character that could end a header line, or part of a log line.
"""

import itertools
import os
import re

_OWN_ID = re.compile(rb"[A-Za-z0-9._~:/+=-]{1,128}")


class RequestIds:
    """The ids of a process: a random ``prefix``, so that those of two never meet, and a number."""

    def __init__(self) -> None:
        self.prefix = f"{os.urandom(6).hex()}-".encode()
        numbers = itertools.count(1)
        self.next_number = numbers.__next__
        # A function of Python's takes longer.
        self.next_id = map((self.prefix + b"%x").__mod__, numbers).__next__


def read_id(value: bytes) -> bytes:
    """The client's id; empty where it has another form, or there is none."""
    return value if _OWN_ID.fullmatch(value) else b""
