"""``plantstore store``: create, list, delete."""

import sys
from contextlib import closing

import click

from plantstore.bootstrap import open_administration
from plantstore.cli.options import database_option, json_option
from plantstore.cli.output import format_time, print_json, print_records
from plantstore.errors import SetupError
from plantstore.model import Store


@click.group()
def store() -> None:
    """Create, list and delete stores."""


@store.command()
@click.argument("name")
@database_option
@json_option
def create(name: str, database: str, *, as_json: bool) -> None:
    """Create a store.

    \b
    Example:
      plantstore store create nursery
    """
    with closing(open_administration(database)) as administration:
        made = administration.create_store(name)
    if as_json:
        print_json(_describe(made))
    else:
        click.echo(made.name)


@store.command("list")
@database_option
@json_option
def list_stores(database: str, *, as_json: bool) -> None:
    """List all stores.

    \b
    Example:
      plantstore store list --json
    """
    with closing(open_administration(database)) as administration:
        records = [_describe(found) for found in administration.list_stores()]
    print_records(records, ("name", "revision", "created_at"), as_json=as_json)


@store.command()
@click.argument("name")
@click.option("-y", "--yes", is_flag=True, help="Skip the confirmation prompt.")
@database_option
def delete(name: str, database: str, *, yes: bool) -> None:
    """Delete a store with all its plants, events, members and tokens.

    \b
    Example:
      plantstore store delete nursery --yes
    """
    if not yes and not _confirm(f"Delete the store {name} and everything in it, permanently?"):
        raise SetupError("nothing was deleted")
    with closing(open_administration(database)) as administration:
        administration.delete_store(name)


def _confirm(question: str) -> bool:
    try:
        return click.confirm(question, err=True)
    except click.Abort as abort:
        if sys.stdin.isatty() or isinstance(abort.__context__, KeyboardInterrupt):
            raise
        raise SetupError(
            "stdin is not a terminal: give --yes to delete without confirmation"
        ) from None


def _describe(found: Store) -> dict[str, object]:
    created_at = format_time(found.created_at)
    return {"name": found.name, "revision": found.revision, "created_at": created_at}
