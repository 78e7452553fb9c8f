"""Notifies systemd about the service, if it asks for that (Type=notify, WatchdogSec=).

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
    """Send the lines; it does not matter if the supervisor does not listen."""
    address = os.environ.get("NOTIFY_SOCKET")
    if address:
        address = "\0" + address[1:] if address.startswith("@") else address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto("\n".join(lines).encode(), address)


def notify_reload() -> None:
    """Tell that the certificate is reloaded, which is done at once (Type=notify-reload)."""
    microseconds = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    notify("RELOADING=1", f"MONOTONIC_USEC={microseconds}")
    notify(READY)


async def keep_notifying() -> None:
    """Send watchdog signals, twice as often as the supervisor requires, if it does."""
    while seconds := watchdog_seconds():
        notify("WATCHDOG=1")
        await asyncio.sleep(seconds)


def watchdog_seconds() -> float:
    """Half of the supervisor's watchdog interval; 0 if there is none."""
    is_for_us = os.environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    return int(os.environ.get("WATCHDOG_USEC", "0")) / 2_000_000 if is_for_us else 0
