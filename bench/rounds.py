"""Measures a line against its floor in short turns, so that a noisy machine disturbs both alike."""

import statistics
import time
from pathlib import Path

from msgspec import Struct

from bench.answers import fetch
from bench.lines import Line
from bench.load import Load, Run, WrongAnswersError, running_load
from bench.processes import read_cpu_seconds, read_resident
from bench.servers import running_floor
from bench.slow_fsync import DELAY_SECONDS
from bench.trial import Trial, ask, check_still, first_number, running_trial
from tests.service import Service

_WARM_UP_SECONDS = 1
_SETTLE_SECONDS = 0.3


class Pace(Struct, frozen=True):
    """``rounds`` of so many seconds for the floor and as many for the service."""

    seconds: int
    rounds: int


class Sample(Struct, frozen=True):
    """One turn: answers per second, seconds of latency, and CPU seconds per answer."""

    rate: float
    p50: float
    p99: float
    cpu: float


class Spread(Struct, frozen=True):
    """The median of some values, the least and the most."""

    median: float
    least: float
    most: float


class Result(Struct, frozen=True):
    """A line's turns, in pairs, and the MiB that the service had at the end."""

    line: Line
    floor: list[Sample]
    service: list[Sample]
    resident: float

    @property
    def ratio(self) -> Spread:
        """The service's rate by the floor's."""
        pairs = zip(self.floor, self.service, strict=True)
        return spread([service.rate / floor.rate for floor, service in pairs])

    @property
    def cpu_ratio(self) -> Spread:
        """The floor's CPU time per answer by the service's."""
        pairs = zip(self.floor, self.service, strict=True)
        return spread([floor.cpu / service.cpu for floor, service in pairs])


def spread(values: list[float]) -> Spread:
    """Their median, least and most."""
    return Spread(statistics.median(values), min(values), max(values))


def median_sample(samples: list[Sample]) -> Sample:
    """The median of each number."""
    return Sample(
        *(statistics.median(values) for values in zip(*map(_numbers, samples), strict=True))
    )


def measure(line: Line, pace: Pace, folder: Path) -> Result:
    """The line's numbers.

    :raises WrongAnswersError: one of its answers was wrong.
    """
    with (
        running_trial(line, folder) as trial,
        running_floor(folder / "floor", trial.answers) as floor,
    ):
        _check_alike(trial, floor)
        servers = (floor, trial.service)
        turns = [[_warm_up(trial, server, pace)] for server in servers]
        for number in range(pace.rounds):
            for server, samples in zip(servers, turns, strict=True):
                samples.append(_take_turn(trial, server, number + 2, pace))
        check_still(trial)
        resident = read_resident(trial.service.process.pid)
    return Result(line, turns[0][1:], turns[1][1:], resident)


def _check_alike(trial: Trial, floor: Service) -> None:
    for method, answer in trial.answers.items():
        again = fetch(floor.origin, ask(trial.line, method, trial.load.headers))
        if (again.status, again.parts) != (answer.status, answer.parts):
            raise WrongAnswersError("the floor answers something else")
        if {name for name, _ in again.headers} != {name for name, _ in answer.headers}:
            raise WrongAnswersError("the floor's headers are others")


def _warm_up(trial: Trial, server: Service, pace: Pace) -> Sample:
    return _take_turn(trial, server, 1, Pace(_WARM_UP_SECONDS, pace.rounds))


def _take_turn(trial: Trial, server: Service, run: int, pace: Pace) -> Sample:
    first = first_number(trial.line, run, pace.rounds + 1)
    if trial.beside is None:
        return _sample(trial.load, server, first, pace.seconds)
    with running_load(trial.beside, server.origin, first, pace.seconds + 1) as beside:
        time.sleep(_SETTLE_SECONDS)
        sample = _sample(trial.load, server, first, pace.seconds)
        _check_slowness(trial, server, beside.finish())
    return sample


def _sample(load: Load, server: Service, first: int, seconds: int) -> Sample:
    before = read_cpu_seconds(server.process.pid)
    with running_load(load, server.origin, first, seconds) as running:
        run = running.finish()
    used = read_cpu_seconds(server.process.pid) - before
    return Sample(run.rate, run.p50, run.p99, used / run.requests)


def _check_slowness(trial: Trial, server: Service, beside: Run) -> None:
    if server is trial.service and trial.line.on_slow_disk and beside.p50 < DELAY_SECONDS:
        raise WrongAnswersError("the creates did not wait for the slow disk")


def _numbers(sample: Sample) -> tuple[float, ...]:
    return (sample.rate, sample.p50, sample.p99, sample.cpu)
