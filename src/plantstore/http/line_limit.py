"""Bounds the log lines that others can cause, and counts those that it leaves out."""

import asyncio
import logging
import time


class LineLimit:
    """Admits ``max_lines`` a second to the ``logger``; once a second it logs how many it did not.

    A second begins with the first line after the one before.
    """

    def __init__(self, logger: logging.Logger, max_lines: int) -> None:
        self._logger = logger
        self._max_lines = max_lines
        self._lines = 0
        self._left_out = 0
        self._ends_at = 0.0

    def admits(self) -> bool:
        """Count a line; whether it is to be written."""
        now = time.monotonic()
        if now >= self._ends_at and not self._left_out:
            self._lines, self._ends_at = 0, now + 1
        self._lines += 1
        if self._lines <= self._max_lines:
            return True
        self._left_out += 1
        if self._left_out == 1:
            asyncio.get_running_loop().call_later(self._ends_at - now, self._report)
        return False

    def _report(self) -> None:
        fields = {"lines": self._left_out}
        self._lines = self._left_out = 0
        self._ends_at = time.monotonic() + 1
        self._logger.warning("log lines were left out", extra={"fields": fields})
