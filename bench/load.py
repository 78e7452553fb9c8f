"""Loads: wrk for some seconds, with one of the scripts in ``lua/``.

Invariant: a run with any answer that is an error, cut, or of another size than expected raises.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

_LUA = Path(__file__).parent / "lua"
_SIZE_TOLERANCE = 0.03  # a mix is one of chance
_ID_GROWTH = 8  # digits that request ids get, while the server runs
_TIMEOUT = "30s"
_END_SECONDS = 60
THREADS = 1  # there is one core for them


class WrongAnswersError(Exception):
    """The server gave other answers than the line is about: there is nothing to measure."""


class Load(Struct, frozen=True):
    """``answer_size`` is the mean bytes of an answer; ``file`` is for scripts that read one."""

    script: str
    path: str
    connections: int
    headers: dict[str, str]
    answer_size: float
    file: str = ""


class Run(Struct, frozen=True):
    """What wrk counted; times in seconds. ``broken`` are answers that did not come whole."""

    requests: int
    seconds: float
    bytes: int
    p50: float
    p99: float
    refused: int
    broken: int

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.requests / self.seconds


class Running:
    """A load under way."""

    def __init__(self, load: Load, process: "subprocess.Popen[str]") -> None:
        self._load = load
        self._process = process

    def finish(self) -> Run:
        """Wait for the end, and give what was counted.

        :raises WrongAnswersError: an answer was wrong.
        """
        output, _ = self._process.communicate(timeout=_END_SECONDS)
        try:
            run = msgspec.json.decode(output.splitlines()[-1], type=Run)
        except (IndexError, msgspec.DecodeError):
            raise WrongAnswersError(f"wrk failed:\n{output}") from None
        _check(run, self._load)
        return run


@contextmanager
def running_load(load: Load, origin: str, first_number: int, seconds: int) -> Iterator[Running]:
    """Start the load; at the end of the block it is over, or is ended."""
    command = ["wrk", f"-t{THREADS}", f"-c{load.connections}", f"-d{seconds}s"]
    command += ["--timeout", _TIMEOUT, "--script", f"{load.script}.lua"]
    for name, value in load.headers.items():
        command += ["--header", f"{name}: {value}"]
    arguments = [str(first_number), str(THREADS), load.file]
    process = subprocess.Popen(
        [*command, f"{origin}{load.path}", "--", *arguments],
        cwd=_LUA,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process:
        try:
            yield Running(load, process)
        finally:
            if process.poll() is None:
                process.kill()


def _check(run: Run, load: Load) -> None:
    if run.refused or run.broken or not run.requests:
        raise WrongAnswersError(
            f"{run.refused} error answers and {run.broken} broken ones of {run.requests}"
        )
    # At the end there is a part of an answer on each connection.
    least = (1 - _SIZE_TOLERANCE) * load.answer_size * run.requests
    most_size = (1 + _SIZE_TOLERANCE) * load.answer_size + _ID_GROWTH
    most = most_size * (run.requests + load.connections)
    if not least <= run.bytes <= most:
        raise WrongAnswersError(
            f"{run.requests} answers in {run.bytes} bytes, not {load.answer_size:.0f} bytes each"
        )
