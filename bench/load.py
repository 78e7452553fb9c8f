"""Loads: wrk with one of the scripts in ``lua/``, for some seconds.

Invariant: a run with an error response, or a truncated one, raises.
"""

import math
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.servers import LOAD_CORES, WrongResponseError, pin

_LUA = Path(__file__).parent / "lua"


class Run(Struct, frozen=True):
    """Responses, their rate, seconds of latency, and seconds of the server's CPU per response.

    NaN means not measured. ``wrong`` counts errors and truncated responses.
    """

    requests: int
    rate: float
    p50: float = math.nan
    p99: float = math.nan
    cpu: float = math.nan
    wrong: int = 0


class Load(Struct, frozen=True):
    """The requests of a script with these ``arguments``, on so many connections."""

    script: str
    url: str
    headers: Mapping[str, str]
    connections: int
    arguments: Sequence[object] = ()

    def start(
        self, first_number: int, seconds: float, cores: Sequence[int] = LOAD_CORES
    ) -> "subprocess.Popen[bytes]":
        """Start to send requests, with numbers from ``first_number`` on."""
        command = ["wrk", "-t1", f"-c{self.connections}", f"-d{seconds:.0f}s", "--timeout", "60s"]
        command += ["--script", f"{self.script}.lua"]
        for name, value in self.headers.items():
            command += ["--header", f"{name}: {value}"]
        command += [self.url, "--", str(first_number), *map(str, self.arguments)]
        return subprocess.Popen(
            pin(command, cores), cwd=_LUA, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )

    def run(self, first_number: int, seconds: float, cores: Sequence[int]) -> Run:
        """Send requests, and wait for the end."""
        with self.start(first_number, seconds, cores) as process:
            output, _ = process.communicate()
        try:
            run = msgspec.json.decode(output.splitlines()[-1], type=Run)
        except (IndexError, msgspec.DecodeError):
            raise WrongResponseError(f"wrk failed:\n{output.decode()}") from None
        if run.wrong or not run.requests:
            raise WrongResponseError(f"{run.wrong} of {run.requests} responses are wrong")
        return run
