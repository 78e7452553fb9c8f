"""Checks whether the file can be read and written, cheaply and without waiting for a lock.

On request, at most once a second, it checks that the files are those that were opened, the disk has
space, a read works, and the writer has committed a batch within the last second.
"""

import asyncio
import math
import os
from collections.abc import Callable
from pathlib import Path

import apsw

from plantstore.core.errors import DatabaseUnavailableError, OverloadedError
from plantstore.core.operations import Written
from plantstore.sqlite.errors import FilesLostError, explain_write
from plantstore.sqlite.writer import Writer

_INTERVAL = 1.0
_PROBE_SECONDS = 0.5  # the writer may be waiting for a lock
_MIN_FREE = 64 * 1024  # bytes: enough for a small batch


class Readiness:
    """Checks the open file at ``path`` and its ``writer``; ``read`` executes a small query."""

    def __init__(self, path: Path, writer: Writer, read: Callable[[], object]) -> None:
        self._path = path
        self._writer = writer
        self._read = read
        self._loop = asyncio.get_running_loop()
        self._checked_at = -math.inf
        self._probe: asyncio.Future[Written] | None = None

    async def check(self) -> None:
        """See ``Database``."""
        if self._loop.time() - self._checked_at >= _INTERVAL:
            self._checked_at = self._loop.time()
            self._running = asyncio.ensure_future(self._check())
        reason = await asyncio.shield(self._running) or self._writer.find_reason()
        if reason is not None:
            raise DatabaseUnavailableError(reason=reason)

    async def _check(self) -> str | None:
        try:
            self._writer.files.require_same()
            disk = os.statvfs(self._path.parent)
            # Some file systems keep blocks for root, and some do not count them.
            blocks = disk.f_bfree if os.geteuid() == 0 else disk.f_bavail
            if disk.f_blocks > 0 and blocks * disk.f_frsize < _MIN_FREE:
                return "the database cannot be written: the disk is full"
            self._read()
        except FilesLostError as error:
            return str(error)
        except (OSError, apsw.Error) as error:  # an OSError's text has the path
            return f"the database cannot be read: {getattr(error, 'strerror', error)}"
        return await self._check_write()

    async def _check_write(self) -> str | None:
        """Make the writer commit a batch, unless it just did. The writer reports its failures."""
        if self._loop.time() - self._writer.worked_at < _INTERVAL:
            return None
        probe = self._probe
        try:
            if probe is None or probe.done():
                probe = self._probe = self._writer.probe()
        except (OverloadedError, DatabaseUnavailableError):  # the writer knows the reason
            return None
        await asyncio.wait([probe], timeout=_PROBE_SECONDS)  # another check may begin the next one
        error = probe.exception() if probe.done() else None
        return explain_write(error, self._path.name) if isinstance(error, apsw.Error) else None
