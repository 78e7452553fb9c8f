"""A clock is trusted only when it has run for an hour without a jump."""

from types import SimpleNamespace

import pytest

from plantstore.core import clock
from plantstore.core.clock import SteadyClock

HOUR = 3600.0
DECADE = 10 * 365 * 24 * HOUR


class Machine:
    """A machine whose clock can be set; times in seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = 1_900_000_000.0
        self.timer = 12.0
        times = SimpleNamespace(time=lambda: self.clock, monotonic=lambda: self.timer)
        monkeypatch.setattr(clock, "time", times)
        self.steady = SteadyClock()

    def run(self, seconds: float) -> int | None:
        self.clock += seconds
        self.timer += seconds
        return self.steady.read()


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine that has just started."""
    return Machine(monkeypatch)


def test_a_clock_is_trusted_after_an_hour(machine: Machine) -> None:
    assert machine.run(HOUR - 1) is None
    assert machine.run(1) == 1_900_003_600_000
    assert machine.run(9 * HOUR) == int(machine.clock * 1000)


@pytest.mark.parametrize("jump", [DECADE, -DECADE])
def test_a_clock_that_jumps_is_not_trusted_for_another_hour(machine: Machine, jump: float) -> None:
    machine.run(HOUR)
    machine.clock += jump
    assert machine.run(HOUR) is None
    assert machine.run(HOUR - 1) is None
    assert machine.run(1) == int(machine.clock * 1000)


def test_a_brief_jump_ahead_is_never_trusted(machine: Machine) -> None:
    machine.run(HOUR)
    machine.clock += DECADE
    assert [machine.run(60) for _ in range(59)] == [None] * 59
    machine.clock -= DECADE
    assert [machine.run(60) for _ in range(60)] == [None] * 60
    assert machine.run(60) == int(machine.clock * 1000)


def test_a_small_correction_keeps_the_clock_trusted(machine: Machine) -> None:
    machine.run(HOUR)
    machine.clock -= 1
    assert machine.run(0) == int(machine.clock * 1000)
