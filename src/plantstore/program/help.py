"""``plantstore help``: a command's help, by its name."""

import click


@click.command("help")
@click.argument("command", nargs=-1)
@click.pass_context
def show_help(context: click.Context, command: tuple[str, ...]) -> None:
    """Print the help of a COMMAND.

    \b
    Example:
      plantstore help token create
    """
    context = context.find_root()
    for name in command:
        child = None
        if isinstance(context.command, click.Group):
            _, child, _ = context.command.resolve_command(context, [name])
        if child is None:
            raise click.UsageError(f"there is no command {' '.join(command)!r}")
        context = click.Context(child, context, name)
    click.echo(context.get_help())
