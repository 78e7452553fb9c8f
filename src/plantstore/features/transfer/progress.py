"""A progress bar on a terminal, with the time left; nothing anywhere else."""

import sys
from collections.abc import Iterator

import click

from plantstore.cli.output import Output


def run_steps(output: Output, words: str, steps: Iterator[int], total: int) -> None:
    """Run steps that yield how many more plants or rows they have processed."""
    is_hidden = output.quiet or not total or not sys.stderr.isatty()
    with click.progressbar(length=total, label=words, file=sys.stderr, hidden=is_hidden) as bar:
        for more in steps:
            bar.update(more)
