"""Serves an application until a signal, in this process or in several workers.

A stop is first announced for ``lame_duck`` seconds; then the process drains and ends.
"""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from socket import socket

import uvloop

from plantstore.core.errors import SetupError
from plantstore.core.pools import MAX_ACCEPTED
from plantstore.core.settings import Settings
from plantstore.server.connection import connect
from plantstore.server.connections import Connections
from plantstore.server.listeners import Acceptor
from plantstore.server.messages import Application
from plantstore.server.notify import READY, STOPPING, keep_notifying, notify, notify_reload
from plantstore.server.sockets import allow_open_files

logger = logging.getLogger(__name__)

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)
# Signals that are ignored at the start stay ignored: nohup ignores SIGHUP, and a shell ignores
# SIGINT for background jobs. The shell also ignores SIGQUIT, which tells workers to end at once.
_MAY_BE_IGNORED = (signal.SIGINT, signal.SIGHUP)

# How long a thread waits for Python's lock while the event loop runs; a write waits twice.
_SWITCH_SECONDS = 0.00002

CreateApplication = Callable[[int], Awaitable[Application]]  # takes the process's number
Beside = Callable[[], Coroutine[None, None, None]]


def serve(
    create_application: CreateApplication, settings: Settings, listeners: list[socket]
) -> bool:
    """Serve until a signal or a broken database stops the service: True for a signal."""
    allow_open_files(settings.max_connections + MAX_ACCEPTED)
    if settings.workers > 1:
        from plantstore.server.workers import Workers  # noqa: PLC0415 - one process needs none

        return Workers(create_application, settings, listeners).run()
    return run(Server(create_application, settings).run(listeners, keep_notifying))


def run(main: Coroutine[None, None, bool]) -> bool:
    sys.setswitchinterval(_SWITCH_SECONDS)
    return uvloop.run(main)


def find_signals() -> list[signal.Signals]:
    ignored = [number for number in _MAY_BE_IGNORED if signal.getsignal(number) is signal.SIG_IGN]
    return [number for number in _SIGNALS if number not in ignored]


def is_in_foreground() -> bool:
    """Whether a terminal runs this process: if the terminal closes (SIGHUP), the service stops."""
    return os.isatty(0) and os.tcgetpgrp(0) == os.getpgrp()


class Server:
    """Serves in one process, which has this ``number``."""

    def __init__(
        self, create_application: CreateApplication, settings: Settings, number: int = 0
    ) -> None:
        self._create_application = partial(create_application, number)
        self._settings = settings
        self._has_failed = False
        self._drain = asyncio.Event()
        self._connections: Connections | None = None
        self._drain_seconds = settings.drain_timeout

    async def run(self, listeners: list[socket], beside: Beside) -> bool:
        """Serve until a stop, or until the database is broken; ``beside`` runs meanwhile.

        :raises SetupError: the application cannot be created.
        """
        self._loop = asyncio.get_running_loop()
        for number in find_signals():
            reloads = number == signal.SIGHUP and not is_in_foreground()
            handle = self._handle_hangup if reloads else partial(self._handle_stop, number)
            self._loop.add_signal_handler(number, handle)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)  # for signals that arrived in a worker
        application = await self._create_application()
        self._connections = connections = Connections(application, self._settings)
        acceptor = Acceptor(application, partial(connect, connections), self._settings)
        for listener in listeners:
            acceptor.listen(listener)
        running = [beside(), self._stop_when_broken(application)]
        if connections.certificate is not None:
            running.append(connections.certificate.follow_files())
        tasks = [self._loop.create_task(part) for part in running]
        notify(READY)
        await self._drain.wait()
        for listener in listeners:
            acceptor.close(listener)
        with suppress(TimeoutError):
            await asyncio.wait_for(connections.drain(), self._drain_seconds)
        for task in tasks:
            task.cancel()
        connections.close()
        await application.close()
        return not self._has_failed

    def stop(self, seconds: float = 0.0) -> None:
        """Announce the stop, and drain after ``seconds``."""
        if self._connections is not None and not self._connections.is_stopping:
            self._connections.announce_stop()
            notify(STOPPING)
        self._loop.call_later(seconds, self._drain.set)

    def _handle_stop(self, number: int) -> None:
        """Begin to stop; at SIGQUIT or a second signal, end at once.

        A worker may get the same signal from its parent and from the terminal.
        """
        if self._connections is None:  # the service ends as soon as it has started
            self._drain.set()
            return
        is_second = self._connections.is_stopping and self._settings.workers == 1
        if number == signal.SIGQUIT or is_second:
            self._drain_seconds = 0.0
            self.stop()
            self._connections.close()
        elif not self._connections.is_stopping:
            self.stop(self._settings.lame_duck)

    def _handle_hangup(self) -> None:
        if self._connections is not None:
            self._connections.application.reload()
            if self._connections.certificate is not None:
                self._connections.certificate.reload()
        notify_reload()

    async def _stop_when_broken(self, application: Application) -> None:
        error = await application.wait_until_broken()
        if isinstance(error, SetupError):  # found only once the database can be reached
            logger.critical("stopping the service: %s", error)
        else:
            logger.critical("the database is broken, stopping the service: %s", error)
        self._has_failed = True
        self.stop()
