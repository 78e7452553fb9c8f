"""A progress bar on a terminal, with the time left; nothing anywhere else."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from plantstore.cli.output import Output


@contextmanager
def show_progress(output: Output, words: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """A bar for the block, which reports how much more is done; ``total`` may be unknown."""
    hidden = output.quiet or not total or not sys.stderr.isatty()
    with click.progressbar(length=total or 0, label=words, file=sys.stderr, hidden=hidden) as bar:
        yield bar.update


def run_steps(output: Output, words: str, steps: Iterator[int], total: int) -> None:
    """Run steps that yield how many more plants or rows they have processed."""
    with show_progress(output, words, total) as advance:
        for more in steps:
            advance(more)
