"""Writes docs/reference.md: settings, commands, error numbers and metrics, from the code.

``make docs`` runs it; a test fails if the file differs.
"""

from collections.abc import Iterator
from typing import Any, get_args

import click

from plantstore.core.sources import setting_types
from plantstore.features.metrics.catalogue import CATALOGUE
from plantstore.http.errors import TABLE
from plantstore.program import cli
from plantstore.program.loading import SETTINGS

_INTRODUCTION = """\
# Reference

Generated from the code by `make docs`.

## Settings

The first of these that has a value wins: a flag (`plantstore --database`, or one of
`plantstore serve`), the environment variable, the settings file (TOML), the default. The service
and all commands read one settings file: that of `plantstore --settings` or `PLANTSTORE_SETTINGS`,
else `$XDG_CONFIG_HOME/plantstore/plantstore.toml` (by default in `~/.config`), or else
`/etc/plantstore/plantstore.toml`. For secrets, the variable `PLANTSTORE_<NAME>_FILE` or the key
`<name>_file` names a file that holds the value; setting both is an error.

| setting | environment variable | default | meaning |
| --- | --- | --- | --- |"""

_ERRORS = """
## Error numbers

The HTTP status × 100 + n; never reused, never renumbered.

| number | status | when | message |
| --- | --- | --- | --- |"""

_METRICS = """
## Metrics

Served for Prometheus where the setting `metrics` has an address. All names begin with
`plantstore_`.

| metric | type | labels | meaning |
| --- | --- | --- | --- |"""

_COMMANDS = """
## Commands

Exit status: 0, 1 for a failure, 2 for a usage error, 130 when interrupted. Data goes to stdout,
notes and logs to stderr."""


def render() -> str:
    lines = [_INTRODUCTION]
    for name, kind in SETTINGS.items():
        default, meaning = _default(getattr(kind(), name)), _describe(setting_types(kind)[name])
        lines.append(f"| `{name}` | `PLANTSTORE_{name.upper()}` | {default} | {meaning} |")
    lines.append(_ERRORS)
    lines += [f"| {row.number} | {row.status} | {row.when} | {row.message} |" for row in TABLE]
    lines.append(_METRICS)
    for metric in CATALOGUE:
        labels = ", ".join(f"`{label}`" for label in metric.labels)
        lines.append(f"| `{metric.name}` | {metric.kind} | {labels} | {metric.description} |")
    # The program's own context, for its names of the help option.
    context = click.Context(cli, info_name="plantstore", **cli.context_settings)
    return "\n".join([*lines, _COMMANDS, *_commands(context)]) + "\n"


def _describe(hint: Any) -> str:  # noqa: ANN401 - any type
    text: str = hint.__metadata__[-1]
    choices = get_args(hint.__origin__)
    if all(isinstance(choice, str) for choice in choices) and choices:
        text += ": " + " or ".join(f"`{choice}`" for choice in choices)
    return text


def _default(value: object) -> str:
    if isinstance(value, tuple):
        value = ", ".join(map(str, value))
    return f"`{value}`" if value not in ("", None) else ""


def _commands(context: click.Context) -> Iterator[str]:
    """The program itself, and each command that does something."""
    command = context.command
    if context.parent is None or not isinstance(command, click.Group):
        yield f"\n### `{context.command_path}`\n\n```text\n{command.get_help(context)}\n```"
    if isinstance(command, click.Group):
        for name in sorted(command.commands):
            yield from _commands(click.Context(command.commands[name], context, name))


if __name__ == "__main__":
    print(render(), end="")  # noqa: T201 - its output is the file
