"""Processes to measure, each pinned to the server's core, and ended whatever happens."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from bench.answers import Answer
from bench.cores import pin_to_server_core
from tests.service import Service

PYTHON = sys.executable


@contextmanager
def running_service(
    folder: Path, database: Path, command: tuple[str, ...] = (PYTHON, "-m", "plantstore")
) -> Iterator[Service]:
    """The service on this database."""
    folder.mkdir(exist_ok=True)
    url = f"sqlite:///{database}"
    with _running(Service(folder, database=url, command=pin_to_server_core(command))) as service:
        yield service


@contextmanager
def running_floor(folder: Path, answers: Mapping[str, Answer]) -> Iterator[Service]:
    """A server that gives these answers, by their requests' method."""
    folder.mkdir(exist_ok=True)
    file = folder / "answers"
    file.write_bytes(msgspec.msgpack.encode(answers))
    command = pin_to_server_core((PYTHON, "-m", "bench.floor", str(file)))
    with _running(Service(folder, command=command)) as floor:
        yield floor


@contextmanager
def _running(server: Service) -> Iterator[Service]:
    try:
        yield server.start()
    finally:
        if hasattr(server, "process") and server.process.poll() is None:
            _stop(server)


def _stop(server: Service) -> None:
    try:
        server.stop()
    except subprocess.TimeoutExpired:
        server.kill()
