"""A progress bar on a terminal, with the rate and the time left; nothing anywhere else."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from rich.console import Console
from rich.progress import Progress, ProgressColumn, Task, TimeRemainingColumn
from rich.text import Text

from plantstore.cli.output import Output


class _Rate(ProgressColumn):
    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed or 0:,.0f} {self._unit}/s")


@contextmanager
def show_progress(
    output: Output, words: str, total: int | None, unit: str
) -> Iterator[Callable[[int], None]]:
    """A bar for the block, which tells it how much is done; ``total`` may not be known."""
    if output.quiet or not sys.stderr.isatty():
        yield lambda _done: None
        return
    columns = (*Progress.get_default_columns()[:3], _Rate(unit), TimeRemainingColumn())
    style: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    console = Console(stderr=True, highlight=False, color_system=style)
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task(words, total=total)
        yield lambda done: progress.update(bar, completed=done)


def run_steps(
    output: Output, words: str, steps: Iterator[int], total: int, unit: str = "plants"
) -> None:
    """Run steps that yield how many more plants or rows they have processed."""
    done = 0
    with show_progress(output, words, total, unit) as advance:
        for more in steps:
            done += more
            advance(done)
