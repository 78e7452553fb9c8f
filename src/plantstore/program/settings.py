"""``plantstore settings``: show."""

import click

from plantstore.cli.options import sources_options
from plantstore.cli.output import Output
from plantstore.core.settings import without_password
from plantstore.core.sources import Given, Sources
from plantstore.program.loading import SETTINGS, load_settings

_COLUMNS = ("setting", "value", "source", "origin")


@click.group()
def settings() -> None:
    """Show the settings."""


@settings.command()
@sources_options
def show(sources: Sources, output: Output) -> None:
    """Show all settings: their values, and where each comes from.

    The source is flag, variable, file or default. Passwords, and values from
    files such as PLANTSTORE_RATE_LIMIT_FILE names, are not shown.

    \b
    Example:
      plantstore settings show
    """
    values = load_settings(sources)
    records = [
        _describe(name, getattr(values.of(kind), name), sources.find(name))
        for name, kind in SETTINGS.items()
    ]
    output.print_records(records, _COLUMNS)


def _describe(name: str, value: object, given: Given | None) -> dict[str, object]:
    if name == "database":
        value = without_password(str(value))
    elif given is not None and not given.is_shown:
        value = "..."
    return {
        "setting": name,
        "value": list(value) if isinstance(value, tuple) else value,
        "source": "default" if given is None else given.source,
        "origin": given and given.origin,
    }
