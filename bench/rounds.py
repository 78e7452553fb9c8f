"""Measures a line against its floor in short turns, so that a noisy machine disturbs both alike."""

import statistics
import time
from pathlib import Path

from msgspec import Struct

from bench.answers import fetch
from bench.lines import Line
from bench.load import Load, Run, WrongAnswersError, running_load
from bench.processes import (
    read_children_seconds,
    read_cpu_seconds,
    read_machine_seconds,
    read_resident,
)
from bench.servers import running_floor
from bench.slow_fsync import DELAY_SECONDS
from bench.trial import Trial, ask, check_still, first_number, running_trial
from tests.service import Service

_WARM_UP_SECONDS = 1
_SETTLE_SECONDS = 0.3
_MOST_OTHERS = 0.1


class Pace(Struct, frozen=True):
    """``rounds`` of so many seconds for the floor and as many for the service.

    Rounds that other processes disturb are repeated, but no more than there are.
    """

    seconds: int
    rounds: int

    @property
    def runs(self) -> int:
        """The most that a server gets: the rounds, as many again, and one to warm up."""
        return 2 * self.rounds + 1


class Sample(Struct, frozen=True):
    """One turn: answers per second, seconds of latency, and CPU seconds per answer.

    ``others`` is how much of a core all that is neither server nor load took meanwhile.
    """

    rate: float
    p50: float
    p99: float
    cpu: float
    others: float


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
        pairs = _take_rounds(trial, floor, pace)
        check_still(trial)
        resident = read_resident(trial.service.process.pid)
    return Result(line, [pair[0] for pair in pairs], [pair[1] for pair in pairs], resident)


def _check_alike(trial: Trial, floor: Service) -> None:
    for method, answer in trial.answers.items():
        again = fetch(floor.origin, ask(trial.line, method, trial.load.headers))
        if (again.status, again.parts) != (answer.status, answer.parts):
            raise WrongAnswersError("the floor answers something else")
        if {name for name, _ in again.headers} != {name for name, _ in answer.headers}:
            raise WrongAnswersError("the floor's headers are others")


def _take_rounds(trial: Trial, floor: Service, pace: Pace) -> list[tuple[Sample, Sample]]:
    """The quietest rounds."""
    firsts = [first_number(trial.line, run + 1, pace.runs) for run in range(pace.runs)]
    for server in (floor, trial.service):
        _take_turn(trial, server, firsts[0], _WARM_UP_SECONDS)
    pairs: list[tuple[Sample, Sample]] = []
    for first in firsts[1:]:
        least = _take_turn(trial, floor, first, pace.seconds)
        pairs.append((least, _take_turn(trial, trial.service, first, pace.seconds)))
        if sum(_disturbance(pair) <= _MOST_OTHERS for pair in pairs) == pace.rounds:
            break
    return sorted(pairs, key=_disturbance)[: pace.rounds]


def _disturbance(pair: tuple[Sample, Sample]) -> float:
    return max(sample.others for sample in pair)


def _take_turn(trial: Trial, server: Service, first: int, seconds: int) -> Sample:
    if trial.beside is None:
        return _sample(trial.load, server, first, seconds)
    with running_load(trial.beside, server.origin, first, seconds + 1) as beside:
        time.sleep(_SETTLE_SECONDS)
        sample = _sample(trial.load, server, first, seconds)
        _check_slowness(trial, server, beside.finish())
    return sample


def _sample(load: Load, server: Service, first: int, seconds: int) -> Sample:
    pid = server.process.pid
    ours, children, machine = _read_clocks(pid)
    with running_load(load, server.origin, first, seconds) as running:
        run = running.finish()
    ours_after, children_after, machine_after = _read_clocks(pid)
    used = ours_after - ours
    others = max(0.0, machine_after - machine - used - (children_after - children))
    return Sample(run.rate, run.p50, run.p99, used / run.requests, others / run.seconds)


def _read_clocks(pid: int) -> tuple[float, float, float]:
    return read_cpu_seconds(pid), read_children_seconds(), read_machine_seconds()


def _check_slowness(trial: Trial, server: Service, beside: Run) -> None:
    if server is trial.service and trial.line.on_slow_disk and beside.p50 < DELAY_SECONDS:
        raise WrongAnswersError("the creates did not wait for the slow disk")


def _numbers(sample: Sample) -> tuple[float, ...]:
    return (sample.rate, sample.p50, sample.p99, sample.cpu, sample.others)
