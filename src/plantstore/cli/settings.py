"""``plantstore settings``: show."""

import os

import click

from plantstore.cli.completion import complete_settings
from plantstore.cli.options import json_option, warn_of_unknown_variables
from plantstore.cli.output import print_records
from plantstore.settings import collect, load_settings, setting_names, without_password
from plantstore.sources import PREFIX, Given

_COLUMNS = ("setting", "value", "source", "origin")
_HIDDEN = "..."


@click.group()
def settings() -> None:
    """Show the settings."""


@settings.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, shell_complete=complete_settings)
@click.option(
    "--settings",
    "file",
    metavar="FILE",
    help="TOML file with settings; else PLANTSTORE_SETTINGS.",
)
@click.option("--database", metavar="URL", help="Database, such as sqlite:///plants.db.")
@json_option
def show(names: tuple[str, ...], file: str | None, database: str | None, *, as_json: bool) -> None:
    """Show the settings NAMES, or all: their values, and where each comes from.

    The source is flag, variable, file or default. Passwords, and what stands in a file named by a
    variable such as PLANTSTORE_RATE_LIMIT_FILE, are not shown.

    \b
    Examples:
      plantstore settings show
      plantstore settings show port database
    """
    if unknown := set(names) - set(setting_names()):
        raise click.BadParameter(f"there is no setting {min(unknown)!r}")
    warn_of_unknown_variables()
    flags = {"database": database}
    values = load_settings(flags, os.environ, file)
    given = collect(flags, os.environ, file)
    records = [
        {"setting": name, **_describe(name, getattr(values, name), given.get(name))}
        for name in setting_names()
        if not names or name in names
    ]
    print_records(records, _COLUMNS, as_json=as_json)


def _describe(name: str, value: object, given: Given | None) -> dict[str, object]:
    if name == "database":
        value = without_password(str(value))
    elif given is not None and not given.is_shown:
        value = _HIDDEN
    if given is None:
        return {"value": _plain(value), "source": "default", "origin": None}
    return {"value": _plain(value), "source": _find_source(given), "origin": given.origin}


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _find_source(given: Given) -> str:
    if given.origin.startswith("--"):
        return "flag"
    return "variable" if given.origin.startswith(PREFIX) else "file"
