"""``python -m bench``: measure the scenarios that are named, or all, with wrk."""

import signal
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path

import click

from bench.postgres import measure_on_postgres, running_on_postgres
from bench.report import show
from bench.rounds import Result, Rounds, measure
from bench.scenarios import POSTGRES_SCENARIOS, SCENARIOS
from bench.wire import WrongResponseError

_NAMES = (*SCENARIOS, *POSTGRES_SCENARIOS)


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(_NAMES), metavar="[NAMES]")
@click.option("--seconds", default=2, show_default=True, help="Seconds of a run.")
@click.option("--rounds", default=5, show_default=True, help="Runs of every server.")
def main(names: tuple[str, ...], seconds: int, rounds: int) -> None:
    """Measure the service in rounds with its baselines.

    uvicorn and nginx send prepared responses: they check no token and store nothing. The targets
    are how near to them a service comes that does.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    results: dict[str, Result] = {}
    failed = False
    with tempfile.TemporaryDirectory(prefix="plantstore-bench-") as folder:
        scenarios = _scenarios(names or _NAMES, Rounds(rounds, seconds), Path(folder))
        for name, measure_scenario in scenarios:
            click.echo(f"{name}...", err=True)
            try:
                results[name] = measure_scenario()
            except WrongResponseError as error:
                click.echo(f"FAILED, and not measured: {name}: {error}", err=True)
                failed = True
    show(results)
    sys.exit(failed)


def _scenarios(
    names: Collection[str], rounds: Rounds, folder: Path
) -> Iterator[tuple[str, Callable[[], Result]]]:
    """The scenarios of these names, with what measures them."""
    for name, scenario in SCENARIOS.items():
        if name in names:
            database = folder / f"{name if scenario.writes else scenario.plants}.db"
            yield name, partial(measure, scenario, rounds, database)
    on_postgres = [name for name in POSTGRES_SCENARIOS if name in names]
    if on_postgres:
        with running_on_postgres(folder) as (service, store):
            for name in on_postgres:
                scenario = POSTGRES_SCENARIOS[name]
                yield name, partial(measure_on_postgres, scenario, rounds, service, store)


if __name__ == "__main__":
    main()
