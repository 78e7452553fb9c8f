"""``plantstore serve --help-settings``: lists all settings."""

import click

from plantstore.settings import Settings, allowed_values, setting_description, setting_names

_INTRODUCTION = """\
The environment variables that set the service, with their defaults. A flag, such as --port, \
comes before its variable, and that before its key in the settings file, such as port = 8080 \
(TOML, named by --settings or PLANTSTORE_SETTINGS). PLANTSTORE_<NAME>_FILE names a file that holds \
the value, for secrets."""


def help_settings_option(command: click.decorators.FC) -> click.decorators.FC:
    """``--help-settings``: print every setting instead of running the command."""
    return click.option(
        "--help-settings",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_settings,
        help="List all settings with their defaults, and exit.",
    )(command)


def _print_settings(context: click.Context, _option: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's way to call
    if not wanted or context.resilient_parsing:
        return
    formatter = context.make_formatter()
    formatter.write_text(_INTRODUCTION)
    for name in setting_names():
        formatter.write_paragraph()
        formatter.write(f"PLANTSTORE_{name.upper()}{_default(name)}\n")
        with formatter.indentation():
            formatter.write_text(f"{setting_description(name)} ({allowed_values(name)})")
    click.echo(formatter.getvalue(), nl=False)
    context.exit()


def _default(name: str) -> str:
    value = getattr(Settings(database=""), name)
    if isinstance(value, tuple):
        value = " ".join(value)
    if value in ("", None):
        return ""
    return f"={str(value).lower() if isinstance(value, bool) else value}"
