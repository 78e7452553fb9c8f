"""What the service aims at, and whether this run's numbers reach it."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from bench.postgres import PostgresResult
from bench.rounds import Result, median_sample
from bench.start import StartResult
from bench.stream import StreamResult


class Measured(Struct, frozen=True):
    """All that a run has measured; the lines by name."""

    lines: Mapping[str, Result]
    start: StartResult | None = None
    stream: StreamResult | None = None
    postgres: PostgresResult | None = None


class Aim(Struct, frozen=True):
    """``find`` gives the number that is to be at least, or at most, ``bound``; None for no such."""

    text: str
    find: Callable[[Measured], float | None]
    bound: float
    at_least: bool = False
    unit: str = ""

    def is_held(self, value: float) -> bool:
        """Whether the value is within the bound."""
        return value >= self.bound if self.at_least else value < self.bound


def _ratio_aim(text: str, name: str, bound: float) -> Aim:
    def find(measured: Measured) -> float | None:
        result = measured.lines.get(name)
        return None if result is None else result.ratio.median

    return Aim(f"{text}, of the floor", find, bound, at_least=True)


def _growth_aim(text: str, name: str) -> Aim:
    def find(measured: Measured) -> float | None:
        small = measured.lines.get(f"{name}@1e3")
        large = measured.lines.get(f"{name}@1e7")
        if small is None or large is None:
            return None
        # By their floors, which takes out what the machine did meanwhile.
        return small.ratio.median / large.ratio.median

    return Aim(f"{text} at 10^7, by its cost at 10^3", find, 1.3)


def _find_slow_p99(measured: Measured) -> float | None:
    result = measured.lines.get("slow-fsync")
    return None if result is None else 1000 * median_sample(result.service).p99


def _find_start(measured: Measured) -> float | None:
    return None if measured.start is None else 1000 * measured.start.median


def _find_idle(measured: Measured) -> float | None:
    return None if measured.start is None else measured.start.idle


def _find_stream_growth(measured: Measured) -> float | None:
    return None if measured.stream is None else measured.stream.growth


def _postgres_aim(text: str, name: str, bound: float) -> Aim:
    def find(measured: Measured) -> float | None:
        turns = measured.postgres.turns if measured.postgres is not None else []
        found = [turn.ratio.median for turn in turns if turn.name == name]
        return max(found, default=None)

    return Aim(text, find, bound, at_least=True)


AIMS = (
    _ratio_aim("list of 100, ready", "list-100@1e5", 0.8),
    _ratio_aim("list of 100, not ready", "miss-100@1e5", 0.35),
    _ratio_aim("create at 32 connections", "create-32", 0.4),
    _ratio_aim("create at 256 connections", "create-256", 0.6),
    Aim("list p99 beside creates on a slow disk", _find_slow_p99, 2, unit=" ms"),
    _growth_aim("list of 100, ready,", "list-100"),
    _growth_aim("list of 100, not ready,", "miss-100"),
    Aim("ready after", _find_start, 300, unit=" ms"),
    Aim("memory idle", _find_idle, 60, unit=" MiB"),
    Aim("more memory while 10^6 plants stream", _find_stream_growth, 20, unit=" MiB"),
    _postgres_aim("create on PostgreSQL, of pgbench's insert", "create, by a bare insert", 2),
    _postgres_aim("list on PostgreSQL, of pgbench's look-up", "list, by a bare look-up", 0.5),
)
