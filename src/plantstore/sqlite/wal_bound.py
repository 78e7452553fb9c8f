"""Bounds the WAL that long lists keep from being reset.

SQLite moves the WAL into the database only as far as no snapshot needs it. Where it grows beyond
its bound, the oldest snapshot is aborted, and then the next one, until the WAL begins anew.
"""

import asyncio
import logging
from collections.abc import Iterable

from plantstore.sqlite.data_version import DataVersion
from plantstore.sqlite.snapshot import SQLiteSnapshot

logger = logging.getLogger(__name__)

_INTERVAL = 0.1  # seconds


class WalBound:
    """At most about ``max_size`` bytes while there are ``snapshots``, the oldest first."""

    def __init__(
        self, data_version: DataVersion, max_size: int, snapshots: Iterable[SQLiteSnapshot]
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._data_version = data_version
        self._max_size = max_size
        self._snapshots = snapshots
        self._size = 0
        self._timer: asyncio.TimerHandle | None = None

    def watch(self) -> None:
        """Look at the WAL from now on, until no snapshot is left."""
        if self._timer is None:
            self._size = self._data_version.count_wal_bytes()
            self._timer = self._loop.call_later(_INTERVAL, self._look)

    def _look(self) -> None:
        size = self._data_version.count_wal_bytes()
        held = [snapshot for snapshot in self._snapshots if not snapshot.is_aborted]
        # Where nothing was written, nothing tells whether the WAL could have begun anew.
        if held and size > self._max_size and size > self._size:
            logger.warning("aborted a long list: the WAL is over max_wal_size, %d bytes", size)
            held[0].abort()
        self._size = size
        self._timer = self._loop.call_later(_INTERVAL, self._look) if held else None

    def close(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.cancel()
