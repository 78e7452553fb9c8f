"""``plantstore help``: the reference, from the same tables as docs/reference.md."""

from collections.abc import Callable, Mapping

import click
from click.shell_completion import CompletionItem

from plantstore.cli.settings_help import write_settings

Write = Callable[[click.HelpFormatter], None]


def _write_errors(formatter: click.HelpFormatter) -> None:
    from plantstore.http.errors import TABLE  # noqa: PLC0415 - slow to import

    formatter.write_text("The numbers of errors, with the HTTP status, and the messages.")
    for row in TABLE:
        formatter.write_paragraph()
        formatter.write(f"{row.number} (status {row.status}): {row.when}\n")
        with formatter.indentation():
            formatter.write_text(row.message)


def _write_metrics(formatter: click.HelpFormatter) -> None:
    from plantstore.metrics.catalogue import CATALOGUE  # noqa: PLC0415 - seldom needed

    formatter.write_text("The metrics, served where the setting metrics has an address.")
    for metric in CATALOGUE:
        labels = f" by {', '.join(metric.labels)}" if metric.labels else ""
        formatter.write_paragraph()
        formatter.write(f"plantstore_{metric.name} ({metric.kind}{labels})\n")
        with formatter.indentation():
            formatter.write_text(metric.description)


_TOPICS: Mapping[str, Write] = {
    "settings": write_settings,
    "errors": _write_errors,
    "metrics": _write_metrics,
}


def _complete(
    context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    root = context.find_root().command
    names = [*_TOPICS, *(root.commands if isinstance(root, click.Group) else ())]
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


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
        formatter = context.make_formatter()
        _TOPICS[topic[0]](formatter)
        click.echo(formatter.getvalue(), nl=False)
    else:
        click.echo(_find_command(context.find_root(), topic))


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
