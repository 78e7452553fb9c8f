"""Workers report what they have counted since their last report; the totals add it up.

Invariant: what was reported once stays in the totals, whatever becomes of the worker, so that no
counter goes down. A report that could not be sent is in the next one.
"""

import asyncio
import os
import time
from collections.abc import Callable
from operator import sub
from socket import AF_UNIX, MSG_DONTWAIT, SO_SNDBUF, SOCK_DGRAM, SOL_SOCKET, socket, socketpair

import msgspec
from msgspec import Struct

from plantstore.metrics.numbers import Gauges, Numbers, add_to

_INTERVAL = 1.0
_FRESH_SECONDS = 5.0
_MAX_BYTES = 256 * 1024  # of a report; one with a hundred kinds of responses has 15 KiB


class Report(Struct, frozen=True, array_like=True):
    """What a worker counted since its last report, and what it measured now."""

    worker: int
    counted: Numbers
    gauges: Gauges


def open_channel() -> tuple[socket, socket]:
    """Where the totals receive reports, and where any number of workers send them."""
    receiving, sending = socketpair(AF_UNIX, SOCK_DGRAM)
    sending.setsockopt(SOL_SOCKET, SO_SNDBUF, _MAX_BYTES)
    return receiving, sending


class Reporter:
    """Sends the reports of a worker: what ``count`` gives in total, and ``measure`` now."""

    def __init__(
        self, channel: socket, count: Callable[[], Numbers], measure: Callable[[], Gauges]
    ) -> None:
        self._channel = channel
        self._count = count
        self._measure = measure
        self._reported: Numbers = {}

    async def run(self) -> None:
        """Report once a second."""
        while True:
            self.report()
            await asyncio.sleep(_INTERVAL)

    def report(self) -> None:
        """Report now."""
        counted = self._count()
        report = Report(os.getpid(), _subtract(counted, self._reported), self._measure())
        try:
            self._channel.send(msgspec.msgpack.encode(report), MSG_DONTWAIT)
        except OSError:  # it is full, or the service ends
            return
        self._reported = counted


class Totals:
    """What all workers have reported."""

    def __init__(self) -> None:
        self.counted: Numbers = {}
        self._gauges: dict[int, tuple[float, Gauges]] = {}

    def receive(self, channel: socket) -> None:
        """Add reports until the channel is shut down."""
        decoder = msgspec.msgpack.Decoder(Report)
        while data := channel.recv(_MAX_BYTES):
            self.add(decoder.decode(data))

    def add(self, report: Report) -> None:
        """Add one report."""
        for key, numbers in report.counted.items():
            add_to(self.counted, key, numbers)
        now = time.monotonic()
        others = {pid: one for pid, one in self._gauges.items() if now - one[0] < _FRESH_SECONDS}
        self._gauges = others | {report.worker: (now, report.gauges)}

    def gauges(self) -> list[Gauges]:
        """Those of each worker that reported lately."""
        now = time.monotonic()
        return [gauges for at, gauges in self._gauges.values() if now - at < _FRESH_SECONDS]


def _subtract(counted: Numbers, reported: Numbers) -> Numbers:
    """What was counted since; all of what is new, also where it is 0."""
    return {
        key: numbers if key not in reported else list(map(sub, numbers, reported[key]))
        for key, numbers in counted.items()
        if numbers != reported.get(key)
    }
