"""Several processes that serve the same sockets, forked from a supervisor.

Invariant: the supervisor has no thread and no open database, so it can fork at any time. A worker
that dies is replaced. A worker that finds the database broken ends the whole service, because its
replacement would find the same; so do several workers in a row that die at their start.
"""

import asyncio
import faulthandler
import logging
import multiprocessing
import os
import signal
import sys
import time
from functools import partial
from multiprocessing.context import ForkProcess
from socket import socket

from plantstore.core.errors import SetupError
from plantstore.core.settings import Settings
from plantstore.server.notify import READY, STOPPING, notify, notify_reload, watchdog_seconds
from plantstore.server.serve import CreateApplication, Server, find_signals, is_in_foreground, run

logger = logging.getLogger(__name__)

_BROKEN = 3  # exit status: the database is broken
_TICK = 0.5
_HANG_SECONDS = 30.0  # until a worker that hangs, or does not close its database, is ended
_EARLY_SECONDS = 10.0  # a worker that dies earlier died at its start
_MAX_EARLY = 5  # such deaths in a row
_DELAY = 0.5  # seconds for each such death, before the next start


class Workers:
    """The workers, which all serve on the ``listeners``."""

    def __init__(
        self, create_application: CreateApplication, settings: Settings, listeners: list[socket]
    ) -> None:
        self._is_stopping = self._has_failed = False
        self._create_application, self._settings = create_application, settings
        self._pid = os.getpid()
        self._listeners = listeners
        self._running: dict[int, tuple[ForkProcess, float]] = {}  # with start times
        self._due = dict.fromkeys(range(settings.workers), 0.0)  # when to start missing workers
        self._early = 0  # deaths at the start, in a row

    def run(self) -> bool:
        """Run the workers until a signal or a failure; returns whether it was a signal."""
        is_ready = False
        awaited = {*find_signals(), signal.SIGCHLD, signal.SIGALRM, signal.SIGUSR1}
        reloading = None if is_in_foreground() else signal.SIGHUP
        context = multiprocessing.get_context("fork")
        signal.pthread_sigmask(signal.SIG_BLOCK, awaited)  # also in workers, at first
        signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
        while self._running or not self._is_stopping:
            for number in [number for number, due in self._due.items() if due <= time.monotonic()]:
                del self._due[number]
                # Daemon processes get a SIGTERM if an error ends this process.
                process = context.Process(target=self._serve, args=(number,), daemon=True)
                process.start()
                self._running[number] = process, time.monotonic()
            received = signal.sigwait(awaited)
            if received == reloading:
                self._signal(signal.SIGHUP)
                notify_reload()
            elif received == signal.SIGUSR1 and not is_ready:  # a worker serves
                is_ready = True
                notify(READY)
            elif received not in {signal.SIGCHLD, signal.SIGALRM, signal.SIGUSR1}:
                if received == signal.SIGQUIT or self._is_stopping:
                    self._signal(signal.SIGQUIT)
                self._stop()
            self._replace_dead()
            if watchdog_seconds():
                notify("WATCHDOG=1")
        signal.setitimer(signal.ITIMER_REAL, 0)
        return not self._has_failed

    def _replace_dead(self) -> None:
        """Replace dead workers, later after each death in a row; too many end the service."""
        for number, (process, began) in list(self._running.items()):
            code = process.exitcode
            if code is None:
                continue
            del self._running[number]
            if self._is_stopping:
                continue
            self._early = self._early + 1 if time.monotonic() - began < _EARLY_SECONDS else 0
            name = signal.strsignal(-code) if code < 0 else None
            how = f"with exit status {code}" if name is None else f"by signal {-code} ({name})"
            if code == _BROKEN:  # the worker has logged why
                self._stop(has_failed=True)
            elif self._early < _MAX_EARLY:
                delay = _DELAY * self._early
                self._due[number] = time.monotonic() + delay
                logger.error("worker %s died %s and is replaced in %g s", process.pid, how, delay)
            else:
                others = f"like {_MAX_EARLY - 1} before it, each within {_EARLY_SECONDS:g} s"
                message = "worker %s died %s, %s: stopping the service"
                logger.critical(message, process.pid, how, others)
                self._stop(has_failed=True)

    def _stop(self, *, has_failed: bool = False) -> None:
        if self._is_stopping:
            return
        self._is_stopping, self._has_failed = True, has_failed
        self._due.clear()
        notify(STOPPING)
        self._signal(signal.SIGTERM)
        for listener in self._listeners:  # else clients would wait in it for ever
            listener.close()

    def _signal(self, number: int) -> None:
        for process, _ in self._running.values():
            if process.pid is not None and process.exitcode is None:
                os.kill(process.pid, number)

    def _serve(self, number: int) -> None:
        """Serve in a worker; the parent notifies systemd."""
        os.environ.pop("NOTIFY_SOCKET", None)
        server = Server(self._create_application, self._settings, number)
        try:
            if not run(server.run(self._listeners, partial(_live, server, self._pid))):
                sys.exit(_BROKEN)
        except (OSError, SetupError) as error:
            logger.critical("a worker cannot start: %s", error)
            sys.exit(1)


async def _live(server: Server, parent: int) -> None:
    """Tell the parent that this worker serves; stop without a parent, end if the loop hangs."""
    if os.getppid() == parent:
        os.kill(parent, signal.SIGUSR1)
    while True:
        faulthandler.dump_traceback_later(_HANG_SECONDS, exit=True)
        if os.getppid() != parent:
            server.stop()
        await asyncio.sleep(1)
