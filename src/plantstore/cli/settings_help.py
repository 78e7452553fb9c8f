"""Lists the settings: all of them with their defaults, or their names in groups."""

from collections import defaultdict
from textwrap import wrap

import click

from plantstore.settings import allowed_values, default_value, setting_description, setting_names

INTRODUCTION = """\
The environment variables that set the service, with their defaults. A flag, such as --port, \
comes before its variable, and that before its key in the settings file, such as port = 8080 \
(TOML, named by --settings or PLANTSTORE_SETTINGS). PLANTSTORE_<NAME>_FILE names a file that holds \
the value, for secrets."""

_LINE = 76
_GROUPS = {
    "Address": "host port uds uds_mode tls_cert tls_key public_url cors_origins trusted_proxies "
    "workers",
    "Database": "database database_connections database_timeout prepare_statements max_wal_size",
    "Logs and metrics": "log_format access_log slow_request metrics",
    "Stores and tokens": "max_plants events_keep token_expiry",
    "Limits": "rate_limit invalid_token_rate cache_size",
    "Timeouts": "lame_duck",
}


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


def write_settings(formatter: click.HelpFormatter) -> None:
    """All settings: variable, default, meaning, allowed values."""
    formatter.write_text(INTRODUCTION)
    for name in setting_names():
        formatter.write_paragraph()
        formatter.write(f"PLANTSTORE_{name.upper()}{_default(name)}\n")
        with formatter.indentation():
            formatter.write_text(f"{setting_description(name)} ({allowed_values(name)})")


def summarize_settings() -> str:
    """The names of all settings, in groups, as the end of a command's help."""
    groups = defaultdict(list)
    for name in setting_names():
        groups[_find_group(name)].append(name)
    lines = ["\b", "Settings, each also a variable such as PLANTSTORE_PORT:"]
    for group in (*_GROUPS, "Other"):
        if names := ", ".join(groups[group]):
            lines += wrap(f"{group}: {names}", _LINE, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines)


def _find_group(name: str) -> str:
    for group, names in _GROUPS.items():
        if name in names.split():
            return group
    if name.endswith("_timeout"):
        return "Timeouts"
    return "Limits" if name.startswith("max_") else "Other"


def _print_settings(context: click.Context, _option: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's way to call
    if not wanted or context.resilient_parsing:
        return
    formatter = context.make_formatter()
    write_settings(formatter)
    click.echo(formatter.getvalue(), nl=False)
    context.exit()


def _default(name: str) -> str:
    value = default_value(name)
    if isinstance(value, tuple):
        value = " ".join(value)
    if value in ("", None):
        return ""
    return f"={str(value).lower() if isinstance(value, bool) else value}"
