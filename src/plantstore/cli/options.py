"""Options of several commands."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from plantstore.settings import load_database, load_setting, unknown_variables

Command = TypeVar("Command", bound=Callable[..., Any])


def database_option(command: Command) -> Command:
    """``--database URL``: the command gets the URL, from the flag or the settings."""
    return click.option(
        "--database",
        metavar="URL",
        callback=_find_database,
        help="Database, such as sqlite:///plants.db; else PLANTSTORE_DATABASE, else a file in "
        "your data folder.",
    )(command)


def json_option(command: Command) -> Command:
    """``--json``: data as JSON, for programs."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def quota_option(command: Command) -> Command:
    """``--max-plants N``: how many plants a new store may hold."""
    return click.option(
        "--max-plants",
        type=click.IntRange(1),
        callback=lambda _context, _option, given: load_setting("max_plants", given, os.environ),
        metavar="N",
        help="Plants that a new store may hold; else the setting max_plants, else any number.",
    )(command)


def quiet_option(command: Command) -> Command:
    """``--quiet``: suppress informational output."""
    return click.option("-q", "--quiet", is_flag=True, help="Suppress informational output.")(
        command
    )


def warn_of_unknown_variables() -> None:
    """Warn on stderr of ``PLANTSTORE_*`` variables that are not settings."""
    for sentence in unknown_variables(os.environ):
        click.echo(f"Warning: {sentence}", err=True)


def _find_database(_context: click.Context, _option: click.Parameter, url: str | None) -> str:
    warn_of_unknown_variables()
    return load_database(url, os.environ)
