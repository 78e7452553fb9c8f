"""Notifies systemd about the service if the unit requests it (Type=notify, WatchdogSec=).

See sd_notify(3). Without NOTIFY_SOCKET nothing is sent.
"""

import asyncio
import os
import socket
import time
from contextlib import suppress

READY = "READY=1"
STOPPING = "STOPPING=1"


def notify(*lines: str) -> None:
    """Send the lines, whether or not the supervisor listens."""
    if address := os.environ.get("NOTIFY_SOCKET"):
        address = "\0" + address[1:] if address.startswith("@") else address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto("\n".join(lines).encode(), address)


def notify_reload() -> None:
    """Report that the certificate was reloaded, which happens at once (Type=notify-reload)."""
    microseconds = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    notify("RELOADING=1", f"MONOTONIC_USEC={microseconds}")
    notify(READY)


async def keep_notifying() -> None:
    """Send watchdog signals, twice as often as the supervisor requires, if it requires any."""
    while seconds := watchdog_seconds():
        notify("WATCHDOG=1")
        await asyncio.sleep(seconds)


def watchdog_seconds() -> float:
    """Half of the supervisor's watchdog interval; 0 without a watchdog."""
    is_for_us = os.environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    return int(os.environ.get("WATCHDOG_USEC", "0")) / 2_000_000 if is_for_us else 0
