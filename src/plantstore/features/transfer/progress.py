"""A progress bar on a terminal, with the time left; nothing anywhere else."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from rich.console import Console
from rich.progress import Progress

from plantstore.cli.output import Output


@contextmanager
def show_progress(output: Output, words: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """A bar for the block, which reports its progress; ``total`` may be unknown."""
    if output.quiet or not sys.stderr.isatty():
        yield lambda _done: None
        return
    style: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    console = Console(stderr=True, highlight=False, color_system=style)
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task(words, total=total)
        yield lambda done: progress.update(bar, completed=done)


def run_steps(output: Output, words: str, steps: Iterator[int], total: int) -> None:
    """Run steps that yield how many more plants or rows they have processed."""
    done = 0
    with show_progress(output, words, total) as advance:
        for more in steps:
            done += more
            advance(done)
