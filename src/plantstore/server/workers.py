"""Several processes that serve one socket, and the process that supervises them.

Invariant: a worker that dies, or hangs after it was ready, is replaced; but one that finds the
database broken, or cannot start, ends the whole service: its replacement would fail too. So does a
worker that died at its start several times in a row: its supervisor decides then.
"""

import logging
import os
import signal
import sys
import time
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from socket import socket

from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from plantstore.errors import SetupError
from plantstore.server.deaths import EARLY_SECONDS, Deaths
from plantstore.server.notify import (
    READY,
    STOPPING,
    WATCHDOG,
    find_watchdog_seconds,
    notify,
    notify_reload,
)
from plantstore.server.serve import SIGNALS, Server, ServerConfig

logger = logging.getLogger(__name__)

_END_SECONDS = 10.0  # for a worker to close its database, after its requests and its writes
_SIGNALS_SECONDS = 0.2  # between two looks for signals, while the workers end
_READY_SECONDS = 0.1  # for a reply from a worker that may still be starting


class Worker(Process):
    """A serving process. It exits with STARTUP_FAILURE if a replacement could not serve either."""

    config: ServerConfig
    _own_server: Server | None = None
    was_ready = False

    def target(self, sockets: list[socket] | None = None) -> None:
        """Serve until a signal or a broken database stops it (uvicorn's hook)."""
        server = self.server
        server.handle_signals()
        try:
            super().target(sockets)
        except (OSError, SetupError) as error:
            logger.critical("a worker cannot start: %s", error)
            sys.exit(STARTUP_FAILURE)
        if server.has_failed:
            sys.exit(STARTUP_FAILURE)

    @property
    def server(self) -> Server:
        """The server, made in the worker (uvicorn's hook)."""
        if self._own_server is None:
            self._own_server = Server(self.config)
        return self._own_server

    def is_alive(self, timeout: float = 5) -> bool:
        """Whether it is alive and, once ready, replies in time: a start may take long."""
        if not self.was_ready:
            self.was_ready = self.is_ready(_READY_SECONDS)
            return self.process.is_alive()
        return super().is_alive(timeout)


class Workers(Multiprocess):
    """The workers. ``has_failed`` says that they ended because they cannot serve."""

    def __init__(self, config: ServerConfig, sockets: list[socket]) -> None:
        hangup = signal.getsignal(signal.SIGHUP)
        super().__init__(config, sockets)
        if hangup is signal.SIG_IGN:  # set by nohup
            signal.signal(signal.SIGHUP, hangup)
        self.has_failed = False
        settings = config.settings
        self._stops = 0  # stop signals
        self._max_seconds = (
            settings.lame_duck + settings.drain_timeout + settings.write_timeout + _END_SECONDS
        )
        # By the worker's place:
        self._started_at = [time.monotonic()] * config.workers
        self._deaths = [Deaths() for _ in range(config.workers)]
        self._due: dict[int, float] = {}  # the places to fill, and when

        self.processes: list[Worker] = []  # type: ignore[assignment]  # ours
        self._has_started = False
        self._has_watchdog = find_watchdog_seconds() > 0

    def init_processes(self) -> None:
        """Start all."""
        self.processes += [self._start() for _ in range(self.processes_num)]

    def keep_subprocess_alive(self) -> None:
        """Replace those that died, or end."""
        for place, worker in enumerate(self.processes):
            if self.should_exit.is_set():
                return
            if place in self._due:
                self._replace_when_due(place)
            elif not worker.is_alive(self.config.timeout_worker_healthcheck):
                worker.kill()  # it may only hang
                worker.join()
                self._bury(place, worker)
        self._notify()

    def _notify(self) -> None:
        """Tell the supervisor that all workers serve, and that this process is alive."""
        if not self._has_started:
            self._has_started = all(worker.was_ready for worker in self.processes)
            if self._has_started:
                notify(READY)
        if self._has_watchdog:
            notify(WATCHDOG)

    def _bury(self, place: int, worker: Process) -> None:
        """Have a worker that died replaced, or end."""
        if worker.exitcode == STARTUP_FAILURE:  # it has said why
            self._fail()
            return
        deaths, now = self._deaths[place], time.monotonic()
        delay = deaths.find_delay(now - self._started_at[place])
        if delay is None:
            message = "worker %s %s, like %d before it, each within %g s: stopping the service"
            logger.critical(message, worker.pid, _how(worker), deaths.early - 1, EARLY_SECONDS)
            self._fail()
            return
        when = f"in {delay:g} s" if delay else "now"
        logger.error("worker %s %s and is replaced %s", worker.pid, _how(worker), when)
        self._due[place] = now + delay
        self._replace_when_due(place)

    def _replace_when_due(self, place: int) -> None:
        if time.monotonic() >= self._due[place]:
            del self._due[place]
            self._started_at[place] = time.monotonic()
            self.processes[place] = self._start()

    def _fail(self) -> None:
        self.has_failed = True
        self.should_exit.set()

    def terminate_all(self) -> None:
        """Have the workers stop; without our listeners new clients are refused when they have."""
        notify(STOPPING)
        for listener in self.sockets:
            listener.close()
        super().terminate_all()

    def join_all(self) -> None:
        """Wait until all have ended; kill those that take too long."""
        deadline = time.monotonic() + self._max_seconds
        while self._running and time.monotonic() < deadline:
            wait([worker.process.sentinel for worker in self._running], _SIGNALS_SECONDS)
            self.handle_signals()
            if self._stops > 1:
                self._signal_all(signal.SIGQUIT)
        for worker in self._running:
            logger.error("worker %s does not stop and is killed", worker.pid)
            worker.kill()
            worker.join()

    def handle_term(self) -> None:
        """Stop; at a second signal at once."""
        self._stops += 1
        self.should_exit.set()

    handle_int = handle_term

    def handle_quit(self) -> None:
        """Stop at once."""
        self._stops = 2
        self.should_exit.set()

    @property
    def _running(self) -> list[Process]:
        return [worker for worker in self.processes if worker.process.is_alive()]

    def _signal_all(self, number: int) -> None:
        for worker in self._running:
            if worker.pid is not None:
                os.kill(worker.pid, number)

    def handle_hup(self) -> None:
        """Pass it on: uvicorn would replace the workers."""
        self._signal_all(signal.SIGHUP)
        notify_reload()

    def handle_ttin(self) -> None:
        """Do nothing: the number of workers is a setting."""

    handle_ttou = handle_ttin

    def _start(self) -> Worker:
        worker = Worker(self.config, self.sockets)
        # Ctrl-C goes to all processes: a new one's signals wait until it handles them.
        resource_tracker.ensure_running()  # with the first worker it would unblock them
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            worker.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        return worker


def _how(worker: Process) -> str:
    """How a worker ended: by a signal, or with an exit status."""
    code = worker.exitcode
    if code is None or code >= 0:
        return f"died with exit status {code}"
    return f"died by signal {-code} ({signal.strsignal(-code)})"
