"""``plantstore help``: the reference, from the same tables as docs/reference.md."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from textwrap import wrap

import click

from plantstore.settings import allowed_values, default_value, setting_description, setting_names

_SETTINGS = """\
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


def _default(name: str) -> str:
    value = default_value(name)
    if isinstance(value, tuple):
        value = " ".join(value)
    if value in ("", None):
        return ""
    return f"={str(value).lower() if isinstance(value, bool) else value}"


Entries = Iterator[tuple[str, str]]  # each with its heading and its text


def _list_settings() -> Entries:
    for name in setting_names():
        heading = f"PLANTSTORE_{name.upper()}{_default(name)}"
        yield heading, f"{setting_description(name)} ({allowed_values(name)})"


def _list_errors() -> Entries:
    from plantstore.http.errors import TABLE  # noqa: PLC0415 - slow to import

    for row in TABLE:
        yield f"{row.number} (status {row.status}): {row.when}", row.message


def _list_metrics() -> Entries:
    from plantstore.metrics.catalogue import CATALOGUE  # noqa: PLC0415 - seldom needed

    for metric in CATALOGUE:
        labels = f" by {', '.join(metric.labels)}" if metric.labels else ""
        yield f"plantstore_{metric.name} ({metric.kind}{labels})", metric.description


_TOPICS: Mapping[str, tuple[str, Callable[[], Entries]]] = {
    "settings": (_SETTINGS, _list_settings),
    "errors": ("The numbers of errors, with the HTTP status, and the messages.", _list_errors),
    "metrics": (
        "The metrics, served where the setting metrics has an address.",
        _list_metrics,
    ),
}


def _complete(context: click.Context, _topic: click.Parameter, incomplete: str) -> list[str]:
    root = context.find_root().command
    names = [*_TOPICS, *(root.commands if isinstance(root, click.Group) else ())]
    return [name for name in names if name.startswith(incomplete)]


@click.command("help")
@click.argument("topic", nargs=-1, shell_complete=_complete)
@click.pass_context
def show_help(context: click.Context, topic: tuple[str, ...]) -> None:
    """Print a part of the reference. TOPIC is settings, errors or metrics, or a command.

    \b
    Examples:
      plantstore help settings
      plantstore help token create
    """
    if len(topic) == 1 and topic[0] in _TOPICS:
        _print_topic(context, topic[0])
    else:
        click.echo(_find_command(context.find_root(), topic))


def _print_topic(context: click.Context, topic: str) -> None:
    introduction, list_entries = _TOPICS[topic]
    formatter = context.make_formatter()
    formatter.write_text(introduction)
    for heading, text in list_entries():
        formatter.write_paragraph()
        formatter.write(f"{heading}\n")
        with formatter.indentation():
            formatter.write_text(text)
    click.echo(formatter.getvalue(), nl=False)


def _find_command(context: click.Context, path: tuple[str, ...]) -> str:
    """The help of a command, by its path."""
    for name in path:
        command = context.command
        found = command.commands.get(name) if isinstance(command, click.Group) else None
        if found is None:
            topics = ", ".join(_TOPICS)
            raise click.UsageError(
                f"there is no topic {' '.join(path)!r}: name one of {topics}, or a command"
            )
        context = click.Context(found, context, name)
    return context.get_help()


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
    _print_topic(context, "settings")
    context.exit()


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
