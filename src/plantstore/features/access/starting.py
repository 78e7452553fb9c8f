"""What a service shows at its start, and what commands find while it runs."""

from collections.abc import Iterator
from contextlib import contextmanager

from plantstore.feature import Start
from plantstore.features.access.address import recorded_address


@contextmanager
def surround(start: Start) -> Iterator[None]:
    """Have commands find the address of the page, and show the way in where that is asked for."""
    with recorded_address(start.settings.database, start.address):
        if "welcome" in start.flags:
            from plantstore.features.access.welcome import welcome  # noqa: PLC0415 - seldom

            welcome(start)
        yield
