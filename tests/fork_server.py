"""Starts the program as a fork of a process that has imported it, which saves 0.3 s of CPU.

Everything else is as in a new process: arguments, environment, folder, streams, signals and exit
status. ``python -m tests.fork_server FD`` is that process; it forks one for each message.
"""

import gc
import json
import mmap
import os
import select
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from plantstore.features import load_parts
from plantstore.program import cli
from plantstore.program import main as run

_STATUS = struct.Struct("i")  # reports of a process: first its id, then its exit status
_MAX_BYTES = 1 << 17  # of a message
_IMPORTS = (
    *("plantstore.http.app", "plantstore.server.serve", "plantstore.server.listeners"),
    *("plantstore.sqlite.database", "plantstore.sqlite.session", "plantstore.sqlite.reader"),
    *("plantstore.postgres.database", "plantstore.postgres.session", "plantstore.core.model"),
    "ssl",
    *("httptools", "prometheus_client", "uvloop", "http", "multiprocessing.context"),
)


class ForkedProcess:
    """``plantstore`` with these arguments; the part of ``subprocess.Popen`` that tests use.

    ``streams`` are the descriptors of its stdin, stdout and stderr; ``bounds`` are fields of its
    settings that users cannot set, and constants of its modules.
    """

    def __init__(
        self,
        arguments: Sequence[str | bytes],
        environ: Mapping[str, str],
        streams: Sequence[int],
        folder: Path | None = None,
        bounds: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        self.returncode: int | None = None
        ours, theirs = os.pipe()
        self._status = open(ours, "rb", buffering=0)  # noqa: PTH123, SIM115 - open as long as this
        words = [os.fsdecode(argument) for argument in arguments]
        message = json.dumps((words, dict(environ), str(folder or Path.cwd()), dict(bounds)))
        socket.send_fds(_server(), [message.encode()], [*streams, theirs])
        os.close(theirs)
        self.pid = self._read_status()

    def poll(self) -> int | None:
        """The exit status; None while it runs."""
        return self._wait(0)

    def wait(self, timeout: float) -> int:
        """Wait for the exit status, for at most so many seconds."""
        status = self._wait(timeout)
        if status is None:
            raise subprocess.TimeoutExpired("plantstore", timeout)
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the process, unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def _wait(self, timeout: float) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], timeout)[0]:
            self.returncode = self._read_status()
            self._status.close()
        return self.returncode

    def _read_status(self) -> int:
        status: int = _STATUS.unpack(self._status.read(_STATUS.size))[0]
        return status


@cache
def _server() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "tests.fork_server", str(theirs.fileno())]
    with theirs:
        theirs.set_inheritable(True)
        os.posix_spawn(command[0], command, os.environ)
    return ours  # closing it ends the process


def _serve(control: socket.socket) -> None:
    """Fork for each message; return in each process that will run the program."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no process waits for the watchers
    while True:
        message, descriptors, *_ = socket.recv_fds(control, _MAX_BYTES, 4)
        if not message:
            sys.exit()
        if os.fork() == 0:
            break
        for descriptor in descriptors:
            os.close(descriptor)
    control.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *streams, status = descriptors
    _watch(status)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    words, environ, folder, bounds = json.loads(message)
    _share_nothing()
    _set_bounds(bounds)
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(folder)
    sys.argv[1:] = words


def _share_nothing() -> None:
    """Give the process its own memory for the log times that the workers of a service share."""
    failures = vars(import_module("plantstore.core.failures"))
    failures["_admitted"] = mmap.mmap(-1, len(failures["_admitted"]))


def _set_bounds(bounds: dict[str, Any]) -> None:
    for path in [path for path in bounds if "." in path]:
        module, _, name = path.rpartition(".")
        constants = vars(import_module(f"plantstore.{module}"))
        assert name in constants, path
        constants[name] = bounds.pop(path)
    serve = vars(import_module("plantstore.program.serve"))
    load = serve["load_settings"]
    serve["load_settings"] = lambda *sources: replace(load(*sources), **bounds)


def _watch(status: int) -> None:
    """Return in a new process; report how that process ended."""
    pid = os.fork()
    if pid == 0:
        os.close(status)
        return
    os.write(status, _STATUS.pack(pid))
    _, wait_status = os.waitpid(pid, 0)
    os.write(status, _STATUS.pack(os.waitstatus_to_exitcode(wait_status)))
    os._exit(0)


def main() -> None:
    """Import the program, and run it in each fork."""
    for module in _IMPORTS:
        import_module(module)
    list(cli.commands.values())  # imports them
    list(load_parts("adds_to"))
    gc.freeze()  # or each fork's garbage collector would copy memory pages
    with socket.socket(fileno=int(sys.argv[1])) as control:
        _serve(control)
    try:
        run()
    except SystemExit as end:  # without Python's shutdown, which takes longer than most commands
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(end.code or 0))


if __name__ == "__main__":
    main()
