"""``python -m bench``: measure the lines that are named, or all but the big ones."""

import signal
import sys
import tempfile
from pathlib import Path

import click

from bench.aims import Measured
from bench.cores import LOAD_CORE, SERVER_CORE, move_to_load_core
from bench.lines import BY_NAME, LINES, Line
from bench.load import WrongAnswersError
from bench.postgres import measure_postgres
from bench.report import show, to_json
from bench.rounds import Pace, Result, measure
from bench.start import measure_start
from bench.stream import measure_stream

_OTHERS = ("start", "stream", "postgres")


@click.command()
@click.argument("names", nargs=-1, metavar="[NAMES]")
@click.option("--seconds", default=2, show_default=True, help="Seconds of a turn.")
@click.option("--rounds", default=5, show_default=True, help="Turns of floor and service each.")
@click.option("--big", is_flag=True, help="Take the stores of 10^7 plants too: 1 GB of disk.")
@click.option("--json", "file", type=click.Path(path_type=Path), help="Write all numbers there.")
def main(
    names: tuple[str, ...], seconds: int, rounds: int, file: Path | None, *, big: bool
) -> None:
    """Measure the service with wrk, each line in turns with the floor that its server sets."""
    if unknown := set(names) - {*BY_NAME, *_OTHERS}:
        known = ", ".join((*BY_NAME, *_OTHERS))
        raise click.UsageError(f"no line {', '.join(unknown)}; there are: {known}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if SERVER_CORE == LOAD_CORE:
        click.echo("there is one core only: the load takes time from what it measures", err=True)
    move_to_load_core()
    lines = [line for line in LINES if line.name in names or (not names and (big or not line.big))]
    with tempfile.TemporaryDirectory(prefix="plantstore-bench-") as folder:
        measured, failed = _measure_all(
            lines, names or _OTHERS, Pace(seconds, rounds), Path(folder)
        )
    show(measured)
    if file is not None:
        file.write_bytes(to_json(measured))
    if failed:
        click.echo(f"FAILED, and not measured: {', '.join(failed)}", err=True)
        sys.exit(1)


def _measure_all(
    lines: list[Line], others: tuple[str, ...], pace: Pace, folder: Path
) -> tuple[Measured, list[str]]:
    results: dict[str, Result] = {}
    failed: list[str] = []
    for line in lines:
        click.echo(f"{line.name}: {line.about}", err=True)
        try:
            results[line.name] = measure(line, pace, folder)
        except WrongAnswersError as error:
            click.echo(f"FAILED {line.name}: {error}", err=True)
            failed.append(line.name)
    start = measure_start(folder) if "start" in others else None
    stream = measure_stream(folder) if "stream" in others else None
    postgres = measure_postgres(folder, pace) if "postgres" in others else None
    return Measured(results, start, stream, postgres), failed


if __name__ == "__main__":
    main()
