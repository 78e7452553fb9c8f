"""Measures a scenario in rounds, each a short run of the service and of every baseline.

So a noisy machine disturbs all of them alike, and their ratio the least.
"""

import math
import statistics
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from msgspec import Struct

from bench.baselines import running_baseline
from bench.load import Load, make_load, run_wrk
from bench.scenarios import Scenario
from bench.servers import Server, WrongResponseError, running_service
from bench.stores import fill_store

SERVICE = "service"
_WARM_UP_SECONDS = 1


class Rounds(Struct, frozen=True):
    """How many rounds there are, and how many seconds each of their runs takes."""

    count: int
    seconds: int


class Run(Struct, frozen=True):
    """Responses a second, seconds of latency, and the server's seconds of CPU for a response.

    NaN is what was not measured.
    """

    rate: float
    p50: float = math.nan
    p99: float = math.nan
    cpu: float = math.nan


class Result(Struct, frozen=True):
    """A scenario's runs by server, ``service`` first; ``memory`` is the service's in MiB."""

    scenario: Scenario
    runs: dict[str, list[Run]]
    memory: float

    def median(self, server: str, field: str) -> float:
        """The median of a field of the server's runs."""
        values: list[float] = [getattr(run, field) for run in self.runs[server]]
        return statistics.median(values)

    def ratios(self, baseline: str) -> list[float]:
        """The service's rate by the baseline's, round by round."""
        pairs = zip(self.runs[SERVICE], self.runs[baseline], strict=True)
        return [service.rate / other.rate for service, other in pairs]


RunServer = Callable[[int, int], Run]  # by the run's number and its seconds


def measure(scenario: Scenario, rounds: Rounds, file: Path) -> Result:
    """The scenario's numbers, on the database in this file."""
    store = fill_store(file, scenario.plants)
    with ExitStack() as stack:
        service = stack.enter_context(running_service(store.database, file.parent))
        load = make_load(scenario, service.origin, store)
        servers: dict[str, RunServer] = {SERVICE: partial(run_load, load, service, rounds)}
        for name in scenario.baselines:
            baseline = stack.enter_context(running_baseline(name, file.parent, load.response))
            its_load = make_load(scenario, baseline.origin, store)
            _check_alike(load, its_load)
            servers[name] = partial(run_load, its_load, baseline, rounds)
        result = Result(scenario, run_rounds(servers, rounds), service.memory())
        if not scenario.writes:
            _check_alike(load, make_load(scenario, service.origin, store))
    return result


def run_rounds(servers: Mapping[str, RunServer], rounds: Rounds) -> dict[str, list[Run]]:
    """Warm up every server, then run one after another, round by round."""
    for run_server in servers.values():
        run_server(0, _WARM_UP_SECONDS)
    runs: dict[str, list[Run]] = {name: [] for name in servers}
    for number in range(1, rounds.count + 1):
        for name, run_server in servers.items():
            runs[name].append(run_server(number, rounds.seconds))
    return runs


def run_load(load: Load, server: Server, rounds: Rounds, number: int, seconds: int) -> Run:
    """One run of a load, with plants of its own to write."""
    deletes = load.scenario.method == "DELETE"
    numbers = load.store.plants // (rounds.count + 1) if deletes else 10**9
    before = server.cpu_seconds()
    counts = run_wrk(load, number * numbers, seconds)
    cpu = (server.cpu_seconds() - before) / counts.requests
    return Run(counts.requests / counts.seconds, counts.p50, counts.p99, cpu)


def _check_alike(load: Load, other: Load) -> None:
    if other.response.body != load.response.body:
        raise WrongResponseError(f"{other.origin} has another response")
