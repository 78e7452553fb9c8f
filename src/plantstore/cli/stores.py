"""``plantstore store``: create, set, rename, show, list, delete."""

import re
from contextlib import closing

import click

from plantstore.bootstrap import create_database, open_administration, open_existing
from plantstore.cli.administration_log import log_change
from plantstore.cli.completion import complete_stores
from plantstore.cli.confirmation import require_name
from plantstore.cli.options import (
    change_options,
    database_option,
    json_option,
    quota_option,
    yes_option,
)
from plantstore.cli.output import (
    format_time,
    print_change,
    print_json,
    print_record,
    print_records,
    report_created,
)
from plantstore.model import Store

_COLUMNS = ("name", "plants", "max_plants", "revision", "created_at")
_name_argument = click.argument("name", shell_complete=complete_stores)


@click.group()
def store() -> None:
    """Create, change, show and delete stores."""


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
@_name_argument
@click.option(
    "--max-plants",
    required=True,
    metavar="N|none",
    callback=lambda _context, _option, text: _read_quota(text),
    help="Plants that the store may hold; those that it holds already stay.",
)
@change_options
def set_store(
    name: str, max_plants: int | None, database: str, *, as_json: bool, quiet: bool
) -> None:
    """Change a store's quota.

    \b
    Example:
      plantstore store set nursery --max-plants 100000
    """
    with closing(open_existing(database)) as administration:
        found = administration.set_quota(name, max_plants)
    log_change("store set", max_plants=max_plants or "none", store=name)
    bound = "any number of plants" if max_plants is None else f"at most {max_plants} plants"
    sentence = f"{found.name} may hold {bound}; it holds {found.plants}"
    print_change(sentence, _describe(found), as_json=as_json, quiet=quiet)


def _read_quota(text: str) -> int | None:
    if text == "none":
        return None
    if not re.fullmatch("[1-9][0-9]{0,17}", text):
        raise click.BadParameter("write a whole number above 0, or none")
    return int(text)


@store.command()
@_name_argument
@click.argument("new_name")
@change_options
def rename(name: str, new_name: str, database: str, *, as_json: bool, quiet: bool) -> None:
    """Give a store another name, NEW_NAME: its path changes, its tokens stay valid.

    \b
    Example:
      plantstore store rename nursery orchard
    """
    with closing(open_existing(database)) as administration:
        administration.rename_store(name, new_name)
    log_change("store rename", store=name, new_name=new_name)
    sentence = f"renamed the store {name} to {new_name}: its path is /stores/{new_name}/plants"
    record = {"name": new_name, "old_name": name}
    print_change(sentence, record, as_json=as_json, quiet=quiet)


@store.command()
@_name_argument
@database_option
@json_option
def show(name: str, database: str, *, as_json: bool) -> None:
    """Show a store: its plants, quota, members, valid tokens, size and last change.

    The size, in bytes, is that of its plants and events, without indexes and free space.

    \b
    Example:
      plantstore store show nursery
    """
    with closing(open_existing(database)) as administration:
        found = administration.describe_store(name)
    record = {
        "name": found.store.name,
        "plants": found.store.plants,
        "max_plants": found.store.max_plants,
        "bytes": found.bytes,
        "members": found.members,
        "tokens": found.tokens,
        "revision": found.store.revision,
        "created_at": format_time(found.store.created_at),
        "changed_at": format_time(found.changed_at),
    }
    print_record(record, as_json=as_json)


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
@_name_argument
@yes_option("Skip the confirmation prompt.")
@change_options
def delete(name: str, database: str, *, yes: bool, as_json: bool, quiet: bool) -> None:
    """Delete a store with all its plants, events, members and tokens.

    It asks for the store's name, unless --yes is given.

    \b
    Example:
      plantstore store delete nursery --yes
    """
    with closing(open_existing(database)) as administration:
        plants = administration.require_store(name).plants
        warning = f"The store {name} and its {plants} plants will be deleted, permanently."
        require_name("store", name, warning, yes=yes)
        administration.delete_store(name)
    log_change("store delete", store=name)
    sentence = f"deleted the store {name} and its {plants} plants"
    record = {"name": name, "plants": plants}
    print_change(sentence, record, as_json=as_json, quiet=quiet)


def _describe(found: Store) -> dict[str, object]:
    return {
        "name": found.name,
        "plants": found.plants,
        "max_plants": found.max_plants,
        "revision": found.revision,
        "created_at": format_time(found.created_at),
    }
