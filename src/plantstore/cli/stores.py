"""``plantstore store``: create, set, list, delete."""

import re
import sys
from contextlib import closing

import click

from plantstore.bootstrap import create_database, open_administration, open_existing
from plantstore.cli.administration_log import log_change
from plantstore.cli.options import database_option, json_option, quota_option
from plantstore.cli.output import format_time, print_json, print_records, report_created
from plantstore.errors import SetupError
from plantstore.model import Store

_COLUMNS = ("name", "plants", "max_plants", "revision", "created_at")


@click.group()
def store() -> None:
    """Create, list and delete stores."""


@store.command()
@click.argument("name")
@quota_option
@database_option
@json_option
def create(name: str, max_plants: int | None, database: str, *, as_json: bool) -> None:
    """Create a store, and its database if that is missing.

    \b
    Example:
      plantstore store create nursery
    """
    report_created(create_database(database))
    with closing(open_administration(database)) as administration:
        made = administration.create_store(name, max_plants)
    log_change("store create", store=name)
    if as_json:
        print_json(_describe(made))
    else:
        click.echo(made.name)


@store.command("set")
@click.argument("name")
@click.option(
    "--max-plants",
    required=True,
    metavar="N|none",
    callback=lambda _context, _option, text: _read_quota(text),
    help="Plants that the store may hold; those that it holds already stay.",
)
@database_option
def set_store(name: str, max_plants: int | None, database: str) -> None:
    """Change a store's quota.

    \b
    Example:
      plantstore store set nursery --max-plants 100000
    """
    with closing(open_existing(database)) as administration:
        found = administration.set_quota(name, max_plants)
    log_change("store set", max_plants=max_plants or "none", store=name)
    bound = "any number of plants" if max_plants is None else f"at most {max_plants} plants"
    click.echo(f"{found.name} may hold {bound}; it holds {found.plants}", err=True)


def _read_quota(text: str) -> int | None:
    if text == "none":
        return None
    if not re.fullmatch("[1-9][0-9]{0,17}", text):
        raise click.BadParameter("write a whole number above 0, or none")
    return int(text)


@store.command("list")
@database_option
@json_option
def list_stores(database: str, *, as_json: bool) -> None:
    """List all stores.

    \b
    Example:
      plantstore store list --json
    """
    with closing(open_existing(database)) as administration:
        records = [_describe(found) for found in administration.list_stores()]
    print_records(records, _COLUMNS, as_json=as_json)


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
    with closing(open_existing(database)) as administration:
        administration.delete_store(name)
    log_change("store delete", store=name)


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
    return {
        "name": found.name,
        "plants": found.plants,
        "max_plants": found.max_plants,
        "revision": found.revision,
        "created_at": format_time(found.created_at),
    }
