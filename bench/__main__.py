"""``python -m bench``: measure the scenarios that are named, or all but the big ones."""

import signal
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path

import click

from bench.bulk import measure_bulk
from bench.fairness import measure_fairness
from bench.importing import measure_import
from bench.memory import measure_start, measure_stream
from bench.page import measure_page
from bench.postgres import measure_on_postgres, running_on_postgres
from bench.report import find_figures, show, to_json
from bench.rounds import Result, Rounds, measure
from bench.scenarios import BIG, POSTGRES_SCENARIOS, SCENARIOS
from bench.size import measure_size
from bench.wire import WrongResponseError

_OTHERS = {
    "start": measure_start,
    "stream": measure_stream,
    "fair": measure_fairness,
    "import": measure_import,
    "size": measure_size,
    "bulk": measure_bulk,
    "page": measure_page,
}
_NAMES = (*SCENARIOS, *POSTGRES_SCENARIOS, *_OTHERS)


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(_NAMES), metavar="[NAMES]")
@click.option("--seconds", default=2, show_default=True, help="Seconds of a run.")
@click.option("--rounds", default=5, show_default=True, help="Runs of every server.")
@click.option("--big", is_flag=True, help="Take the stores of 10^7 plants too: 1 GB of disk.")
@click.option("--json", "file", type=click.Path(path_type=Path), help="Write all numbers there.")
def main(
    names: tuple[str, ...], seconds: int, rounds: int, file: Path | None, *, big: bool
) -> None:
    """Measure the service with wrk, in rounds with its baselines."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    wanted = names or [name for name in _NAMES if big or name not in BIG]
    results: dict[str, Result] = {}
    failed = False
    with tempfile.TemporaryDirectory(prefix="plantstore-bench-") as folder:
        for name, measure_scenario in _scenarios(wanted, Rounds(rounds, seconds), Path(folder)):
            click.echo(f"{name}...", err=True)
            try:
                results[name] = measure_scenario()
            except WrongResponseError as error:
                click.echo(f"FAILED, and not measured: {name}: {error}", err=True)
                failed = True
        figures = list(find_figures(results))
        for name, measure_other in _OTHERS.items():
            figures += measure_other(Path(folder)) if name in wanted else []
    show(results, figures)
    if file is not None:
        file.write_bytes(to_json(results, figures))
    sys.exit(failed)


def _scenarios(
    names: Collection[str], rounds: Rounds, folder: Path
) -> Iterator[tuple[str, Callable[[], Result]]]:
    """The scenarios of these names, with what measures them."""
    for name, scenario in SCENARIOS.items():
        if name in names:
            database = folder / f"{name if scenario.writes else scenario.plants}.db"
            yield name, partial(measure, scenario, rounds, database)
    on_postgres = [one for one in POSTGRES_SCENARIOS.items() if one[0] in names]
    for slow_disk, chosen in groupby(on_postgres, lambda one: one[1].slow_disk):
        with running_on_postgres(folder, slow_disk=slow_disk) as (service, store):
            for name, scenario in chosen:
                yield name, partial(measure_on_postgres, scenario, rounds, service, store)


if __name__ == "__main__":
    main()
