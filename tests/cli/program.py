"""Runs the program: the real command line, in a new process."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Self

import pytest
from msgspec import Struct

from plantstore.databases import migrate
from tests.administration import open_administration
from tests.fork_server import ForkedProcess

PLANTSTORE = (sys.executable, "-m", "plantstore")
# The command that creates a token of ada, the owner of the store nursery.
CREATE = ("token", "create", "--create", "--store", "nursery", "--user", "ada")
SECONDS = 60.0

# Drops root's power over files from a command; it still owns the tester's files.
UNPRIVILEGED = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()


def _has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


NEEDS_IPV6 = pytest.mark.skipif(not _has_ipv6(), reason="no IPv6 here, as in many containers")


class Result(Struct, frozen=True):
    """A command's exit status and output."""

    status: int
    out: str
    err: str

    def data(self) -> Any:  # noqa: ANN401 - any JSON value
        """The JSON on stdout."""
        return json.loads(self.out)


class Program:
    """``plantstore`` in a folder of its own, with its own home, and a database in it.

    ``environ`` are further variables; the tests' own ``PLANTSTORE_*`` are removed. ``prefix`` is a
    command that runs it.
    """

    def __init__(
        self,
        folder: Path,
        environ: Mapping[str, str] | None = None,
        prefix: Sequence[str] = (),
    ) -> None:
        self.folder = folder
        self._prefix = prefix
        in_folder = {"PLANTSTORE_DATABASE": f"sqlite:///{folder / 'plants.db'}"}
        self.environ = {**clean_environ(folder), **in_folder, **(environ or {})}
        self.database = self.environ["PLANTSTORE_DATABASE"]

    def with_database(self) -> Self:
        """Create the database, as ``plantstore migrate`` does."""
        migrate(self.database)
        return self

    def make_store(self, name: str, max_plants: int | None = None) -> None:
        """Create an empty store, without members."""
        with closing(open_administration(self.database)) as administration:
            administration.create_store(name, max_plants)

    def run(self, *arguments: str | bytes, stdin: str = "", **environ: str) -> Result:
        with TemporaryFile() as input_file, TemporaryFile() as out, TemporaryFile() as err:
            input_file.write(stdin.encode())
            input_file.seek(0)
            process = self._start(arguments, self.environ | environ, (input_file, out, err))
            status = process.wait(SECONDS)
            out.seek(0)
            err.seek(0)
            return Result(status, out.read().decode(), err.read().decode())

    def _start(
        self,
        arguments: Sequence[str | bytes],
        environ: Mapping[str, str],
        streams: Sequence[IO[bytes]],
    ) -> "ForkedProcess | subprocess.Popen[bytes]":
        if not self._prefix and environ.get("PYTHONPATH") == os.environ.get("PYTHONPATH"):
            descriptors = [stream.fileno() for stream in streams]
            return ForkedProcess(arguments, environ, descriptors, self.folder)
        input_file, out, err = streams
        return subprocess.Popen(
            [*self._prefix, *PLANTSTORE, *arguments],
            stdin=input_file,
            stdout=out,
            stderr=err,
            env=environ,
            cwd=self.folder,
        )

    def out(self, *arguments: str, stdin: str = "", **environ: str) -> str:
        """Run a command that must succeed; its output, without the last line's end."""
        result = self.run(*arguments, stdin=stdin, **environ)
        assert result.status == 0, result
        return result.out.removesuffix("\n")

    def data(self, *arguments: str) -> Any:  # noqa: ANN401 - any JSON value
        """Run a command that must succeed, with ``--json``; return its data."""
        return json.loads(self.out(*arguments, "--json"))

    def token_ids(self, *filters: str) -> list[str]:
        """The ids of the tokens that are listed."""
        return [token["id"] for token in self.data("token", "list", *filters)]

    def refusal(self, *arguments: str | bytes, status: int = 1, **environ: str) -> str:
        """Run a command that must be refused; return its message."""
        result = self.run(*arguments, **environ)
        assert result.status == status, result
        assert all(line.startswith("ok: ") for line in result.out.splitlines())  # of `check`
        assert result.err.strip()
        assert "Traceback" not in result.err
        return result.err

    def in_shell(self, script: str, *, shell: str = "sh") -> Result:
        """Run a shell script in which ``plantstore`` is this program.

        The bound is for each of its commands: a page of the docs has thirty.
        """
        bin_folder = self.folder / "bin"
        bin_folder.mkdir(exist_ok=True)
        command = bin_folder / "plantstore"
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m plantstore "$@"\n')
        command.chmod(0o755)
        result = subprocess.run(
            [shell, "-c", script],
            input=b"",
            capture_output=True,
            check=False,
            timeout=SECONDS * max(1, script.count("plantstore ")),
            cwd=self.folder,
            env=self.environ | {"PATH": f"{bin_folder}:{os.environ['PATH']}"},
        )
        return Result(result.returncode, result.stdout.decode(), result.stderr.decode())


def clean_environ(home: Path) -> dict[str, str]:
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("PLANTSTORE_", "XDG_"))}
    for variable in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM"):
        environ.pop(variable, None)
    return environ | {"HOME": str(home), "LC_ALL": "C.UTF-8"}
