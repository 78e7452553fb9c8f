"""Several processes that serve one socket, and the process that supervises them.

Invariant: a worker that dies, or hangs after it was ready, is replaced; but one that finds the
database broken ends the whole service: its replacement would find the same. So does a worker that
died at its start several times in a row, or that cannot be started: its supervisor decides then.
"""

import asyncio
import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection as Pipe
from socket import socket

from plantstore.errors import SetupError
from plantstore.server.notify import READY, STOPPING, keep_notifying, notify, notify_reload
from plantstore.server.serve import SIGNALS, CreateApplication, Server, run, take_signals
from plantstore.settings import Settings

logger = logging.getLogger(__name__)

_BROKEN = 3  # exit status: the database is broken
_BEAT_SECONDS = 0.5
_MAX_SILENCE = 20  # beats that a worker may leave out
_END_SECONDS = 10.0  # for a worker to close its database, after its requests and its writes
_EARLY_SECONDS = 10.0  # a worker that lived for less died at its start
_HEALTHY_SECONDS = 60.0  # after them the deaths before are forgotten
_MAX_EARLY = 5  # in a row
_FIRST_DELAY = 0.5  # of the second replacement; each later one waits twice as long

_spawn = multiprocessing.get_context("spawn")


class Workers:
    """The workers. ``has_failed`` says that they ended because they cannot serve."""

    def __init__(
        self,
        create_application: CreateApplication,
        settings: Settings,
        listeners: list[socket],
    ) -> None:
        self.has_failed = False
        self._serve = partial(_serve, create_application, settings, listeners)
        self._settings = settings
        self._listeners = listeners
        self._running: set[Worker] = set()
        self._stopping = asyncio.Event()
        self._ready = [asyncio.Event() for _ in range(settings.workers)]

    async def run(self) -> None:
        """Keep all workers running until a signal."""
        take_signals(self._handle_stop, self._handle_hangup)
        loop, settings = asyncio.get_running_loop(), self._settings
        places = [loop.create_task(self._keep_one(ready)) for ready in self._ready]
        beside = [loop.create_task(one) for one in (self._notify_ready(), keep_notifying())]
        await self._stopping.wait()
        notify(STOPPING)
        self._signal(signal.SIGTERM)
        for listener in self._listeners:  # or clients would wait in it for nobody
            listener.close()
        seconds = settings.lame_duck + settings.drain_timeout + settings.write_timeout
        _, left = await asyncio.wait(places, timeout=seconds + _END_SECONDS)
        for worker in self._running:
            logger.error("worker %s does not stop and is killed", worker.process.pid)
            worker.process.kill()
        if left:
            await asyncio.wait(left)
        for task in beside:
            task.cancel()

    async def _keep_one(self, ready: asyncio.Event) -> None:
        """Have one worker after the other serve; where none can be started the service ends."""
        try:
            await self._replace_dead(ready)
        except Exception:
            logger.exception("a worker cannot be started: stopping the service")
            self._fail()

    async def _replace_dead(self, ready: asyncio.Event) -> None:
        """Have one worker after the other serve, until the service stops."""
        deaths, loop = Deaths(), asyncio.get_running_loop()
        while not self._stopping.is_set():
            began = loop.time()
            worker = Worker(self._serve)
            self._running.add(worker)
            await worker.wait(ready)
            self._running.remove(worker)
            if not self._stopping.is_set():
                delay = self._find_delay(worker, deaths, loop.time() - began)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), delay)

    def _find_delay(self, worker: "Worker", deaths: "Deaths", lived: float) -> float:
        """Seconds until a worker that died is replaced; with too many deaths the service ends."""
        pid, exitcode = worker.process.pid, worker.process.exitcode
        if exitcode == _BROKEN:  # it has said why
            self._fail()
            return 0.0
        delay, how = deaths.find_delay(lived), _describe_end(exitcode)
        if delay is None:
            message = "worker %s %s, like %d before it, each within %g s: stopping the service"
            logger.critical(message, pid, how, deaths.early - 1, _EARLY_SECONDS)
            self._fail()
            return 0.0
        when = f"in {delay:g} s" if delay else "now"
        logger.error("worker %s %s and is replaced %s", pid, how, when)
        return delay

    def _fail(self) -> None:
        self.has_failed = True
        self._stopping.set()

    async def _notify_ready(self) -> None:
        """Tell the supervisor when all serve for the first time."""
        for ready in self._ready:
            await ready.wait()
        notify(READY)

    def _handle_stop(self, number: int) -> None:
        """Stop; at SIGQUIT, or a second signal, at once."""
        if number == signal.SIGQUIT or self._stopping.is_set():
            self._signal(signal.SIGQUIT)
        self._stopping.set()

    def _handle_hangup(self) -> None:
        self._signal(signal.SIGHUP)
        notify_reload()

    def _signal(self, number: int) -> None:
        for worker in self._running:
            worker.send(number)


class Deaths:
    """The deaths in one worker's place: how soon it is replaced, later and later."""

    def __init__(self) -> None:
        self.early = 0

    def find_delay(self, lived: float) -> float | None:
        """Seconds before the next worker, after one that lived so long; None for no other."""
        if lived >= _HEALTHY_SECONDS:
            self.early = 0
        self.early += lived < _EARLY_SECONDS
        if self.early >= _MAX_EARLY:
            return None
        return _FIRST_DELAY * 2 ** (self.early - 2) if self.early > 1 else 0.0


class Worker:
    """A process that executes ``serve``, as its parent sees it."""

    def __init__(self, serve: Callable[[Pipe], None]) -> None:
        self._is_ready = False
        self._silence = 0  # beats that were left out
        self._beats, beats = _spawn.Pipe(duplex=False)
        self.process = _spawn.Process(target=serve, args=(beats,))
        # Ctrl-C goes to all processes: a new one's signals wait until it handles them.
        resource_tracker.ensure_running()  # with the first worker it would unblock them
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
            beats.close()

    async def wait(self, ready: asyncio.Event) -> None:
        """Wait for its end; kill it if it hangs after it was ready."""
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self.process.sentinel, ended.set)
        loop.add_reader(self._beats, self._hear, ready)
        while not ended.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), _BEAT_SECONDS)
            self._silence += self._is_ready  # a start may take long
            if self._silence > _MAX_SILENCE:
                logger.error("worker %s hangs and is killed", self.process.pid)
                self.process.kill()
        loop.remove_reader(self.process.sentinel)
        loop.remove_reader(self._beats)
        self._beats.close()
        self.process.join()

    def _hear(self, ready: asyncio.Event) -> None:
        """Take its signs of life."""
        if os.read(self._beats.fileno(), 4096):
            self._is_ready, self._silence = True, 0
            ready.set()
        else:
            asyncio.get_running_loop().remove_reader(self._beats)

    def send(self, number: int) -> None:
        """Send it a signal."""
        if self.process.exitcode is None and self.process.pid is not None:
            os.kill(self.process.pid, number)


def _describe_end(exitcode: int | None) -> str:
    """How a process ended: by a signal, or with an exit status."""
    if exitcode is None or exitcode >= 0:
        return f"died with exit status {exitcode}"
    return f"died by signal {-exitcode} ({signal.strsignal(-exitcode)})"


def _serve(
    create_application: CreateApplication,
    settings: Settings,
    listeners: list[socket],
    beats: Pipe,
) -> None:
    """Serve in a worker, whose parent notifies its supervisor."""
    os.environ.pop("NOTIFY_SOCKET", None)
    server = Server(create_application, settings, is_worker=True)
    try:
        run(server.run(listeners, partial(_beat, beats, server)))
    except (OSError, SetupError) as error:
        logger.critical("a worker cannot start: %s", error)
        sys.exit(1)
    if server.has_failed:
        sys.exit(_BROKEN)


async def _beat(beats: Pipe, server: Server) -> None:
    """Give signs of life while it serves; stop when nobody is there to take them."""
    os.set_blocking(beats.fileno(), False)  # a parent that is stopped reads none
    try:
        while True:
            with suppress(BlockingIOError):
                os.write(beats.fileno(), b".")
            await asyncio.sleep(_BEAT_SECONDS)
    except BrokenPipeError:  # a worker must not outlive its parent
        server.stop()
