"""``python -m bench.profiling LINE``: where the event loop's time goes under a line's load.

cProfile makes Python's own functions look dearer than they are, and sees one thread only; compare
its numbers with each other. For the whole process: ``perf record -g -p PID`` beside a load.
"""

import pstats
import sys
import tempfile
from pathlib import Path

import click

from bench.cores import move_to_load_core
from bench.lines import BY_NAME
from bench.load import running_load
from bench.servers import PYTHON
from bench.trial import first_number, running_trial


@click.command()
@click.argument("name", type=click.Choice(list(BY_NAME)), metavar="LINE")
@click.option("--seconds", default=5, show_default=True)
@click.option("--most", default=40, show_default=True, help="Functions to show.")
def main(name: str, seconds: int, most: int) -> None:
    """Show the functions that take the most time of the line's requests."""
    move_to_load_core()
    with tempfile.TemporaryDirectory(prefix="plantstore-bench-") as folder:
        file = Path(folder) / "profile"
        line = BY_NAME[name]
        command = (PYTHON, "-m", "cProfile", "-o", str(file), "-m", "plantstore")
        with running_trial(line, Path(folder), command) as trial:
            first = first_number(line, 1, 1)
            with running_load(trial.load, trial.service.origin, first, seconds) as running:
                run = running.finish()
        click.echo(f"{run.requests} requests")
        pstats.Stats(str(file), stream=sys.stdout).sort_stats("tottime").print_stats(most)


if __name__ == "__main__":
    main()
