"""Limits the log lines that clients can cause."""

import asyncio
import logging


class LineLimit:
    """Admits ``max_lines`` a second to the ``logger``, and logs how many it did not.

    A second begins with the first line after the one before.
    """

    def __init__(self, logger: logging.Logger, max_lines: int) -> None:
        self._logger = logger
        self._max_lines = max_lines
        self._lines = 0  # in this second

    def admits(self) -> bool:
        """Count a line; whether it is to be written."""
        if not self._lines:
            asyncio.get_running_loop().call_later(1.0, self._end_second)
        self._lines += 1
        return self._lines <= self._max_lines

    def _end_second(self) -> None:
        left_out, self._lines = self._lines - self._max_lines, 0
        if left_out > 0:
            self._logger.warning("log lines were suppressed", extra={"fields": {"lines": left_out}})
