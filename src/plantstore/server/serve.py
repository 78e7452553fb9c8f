"""Serves an application until a signal, in this process or in several workers.

uvicorn starts and stops the process: sockets, draining, workers. The connections are ours. For
``lame_duck`` seconds a stop is only announced; then the process drains and ends.
"""

import asyncio
import logging
import multiprocessing
import signal
import time
from collections.abc import Callable
from functools import partial
from socket import socket
from types import FrameType
from typing import Any

import uvicorn
import uvloop

from plantstore.errors import SetupError
from plantstore.server.connection import Connection
from plantstore.server.connections import Connections
from plantstore.server.listeners import accept_waiting
from plantstore.server.messages import Application
from plantstore.server.notify import (
    READY,
    STOPPING,
    WATCHDOG,
    find_watchdog_seconds,
    notify,
    notify_reload,
)
from plantstore.server.sockets import allow_open_files
from plantstore.settings import Settings

logger = logging.getLogger(__name__)

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)


def serve(
    create_application: Callable[[], Application], settings: Settings, listeners: list[socket]
) -> bool:
    """Serve until a signal or a broken database ends it; whether it was a signal."""
    config = ServerConfig(create_application, settings)
    allow_open_files(settings.max_connections)
    if settings.workers > 1:
        from plantstore.server.workers import Workers  # noqa: PLC0415 - one process needs none

        workers = Workers(config, listeners)
        workers.run()
        return not workers.has_failed
    server = Server(config)
    server.handle_signals()
    server.run(listeners)
    return not server.has_failed


class ServerConfig(uvicorn.Config):
    """uvicorn's configuration, with our settings; it is sent to the workers."""

    def __init__(self, create_application: Callable[[], Application], settings: Settings) -> None:
        seconds = find_watchdog_seconds()
        super().__init__(
            create_application,
            factory=True,
            interface="asgi3",  # unused: there is no ASGI
            http=asyncio.Protocol,  # the server sets it
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            workers=settings.workers,
            callback_notify=_notify_alive if settings.workers == 1 and seconds else None,
            timeout_notify=seconds,  # type: ignore[arg-type]  # any number does
            timeout_graceful_shutdown=settings.drain_timeout,  # type: ignore[arg-type]  # any number does
        )
        self.settings = settings

    def get_loop_factory(self) -> Callable[[], asyncio.AbstractEventLoop]:
        """What makes the event loop."""
        return uvloop.new_event_loop


async def _notify_alive() -> None:
    notify(WATCHDOG)


class Server(uvicorn.Server):
    """uvicorn's server with our connections. ``has_failed`` if the database is broken."""

    config: ServerConfig
    has_failed = False
    _connections: Connections | None = None
    _stops_at: float | None = None  # from when it drains

    @property
    def _is_worker(self) -> bool:
        return multiprocessing.parent_process() is not None

    def handle_signals(self) -> None:
        """Stop at a signal, take the certificate anew at SIGHUP; also before it runs."""
        for one in SIGNALS:
            if signal.getsignal(one) is not signal.SIG_IGN:  # as nohup leaves SIGHUP
                handle = self._handle_hangup if one is signal.SIGHUP else self.handle_exit
                signal.signal(one, handle)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Begin to listen (uvicorn's hook)."""
        settings, application = self.config.settings, self.config.loaded_app
        opened: set[Any] = self.server_state.connections
        self._connections = connections = Connections(application, settings, opened)
        self.config.http_protocol_class = lambda **_: Connection(connections)  # type: ignore[assignment]  # uvicorn calls it
        self._loop = asyncio.get_running_loop()
        self._tasks = [self._loop.create_task(self._stop_when_broken(application))]
        if certificate := self._connections.certificate:
            self._tasks.append(self._loop.create_task(certificate.follow_files()))
        if parent := multiprocessing.parent_process():  # a worker must not outlive its parent
            self._loop.add_reader(parent.sentinel, self._stop_alone, parent.sentinel)
        await super().startup(sockets)
        self.should_exit |= self._stops_at is not None
        self._notify(READY)

    def handle_exit(self, sig: int, _frame: FrameType | None) -> None:
        """Begin to stop; at SIGQUIT, or a second signal, end at once (uvicorn's hook).

        A worker may get one of its parent and the same of the terminal.
        """
        is_second = self._stops_at is not None and not self._is_worker
        if sig == signal.SIGQUIT or is_second:
            self.should_exit = self.force_exit = True
            if self._connections is not None:
                self._loop.call_soon_threadsafe(self._connections.close)
        elif self._stops_at is None:
            self._stops_at = time.monotonic() + self.config.settings.lame_duck

    async def on_tick(self, counter: int) -> bool:
        """Announce the stop, until it is time for it (uvicorn's hook)."""
        if self._stops_at is not None and self._connections is not None:
            self._announce_stop()
            self.should_exit |= time.monotonic() >= self._stops_at
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        """Drain, and close the application (uvicorn's hook)."""
        self._announce_stop()
        if self._connections is not None:
            if self.force_exit:
                self._connections.close()
            for listener in sockets or ():
                await accept_waiting(listener, partial(Connection, self._connections))
        await super().shutdown(sockets)
        for task in self._tasks:
            task.cancel()
        if self._connections is not None:
            self._connections.close()
        await self.config.loaded_app.close()

    def _announce_stop(self) -> None:
        if self._connections is not None and not self._connections.is_stopping:
            self._connections.announce_stop()
            self._notify(STOPPING)

    def _handle_hangup(self, *_: object) -> None:
        if self._connections is not None:
            self._loop.call_soon_threadsafe(self._reload, self._connections)

    def _reload(self, connections: Connections) -> None:
        """Take the certificate anew, if there is one."""
        if connections.certificate is not None:
            connections.certificate.reload()
        if not self._is_worker:
            notify_reload()

    def _notify(self, line: str) -> None:
        if not self._is_worker:
            notify(line)

    async def _stop_when_broken(self, application: Application) -> None:
        error = await application.wait_until_broken()
        if isinstance(error, SetupError):  # found when the database could be reached
            logger.critical("stopping the service: %s", error)
        else:
            logger.critical("the database is broken, stopping the service: %s", error)
        self.has_failed = True
        self.should_exit = True

    def _stop_alone(self, sentinel: int) -> None:
        self._loop.remove_reader(sentinel)  # or it would be called again and again
        self.should_exit = True
