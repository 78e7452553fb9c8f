"""``plantstore member``: add, remove, list."""

from contextlib import closing

import click

from plantstore.bootstrap import open_existing
from plantstore.cli.administration_log import log_change
from plantstore.cli.options import database_option, json_option
from plantstore.cli.output import print_records
from plantstore.model import Role


@click.group()
def member() -> None:
    """Manage the members of a store and their roles."""


@member.command()
@click.option("--store", required=True, help="Name of the store.")
@click.option("--user", required=True, help="User name.")
@click.option(
    "--role",
    type=click.Choice([role.value for role in Role]),
    required=True,
    help="reader: list; editor and owner: list, create, delete.",
)
@database_option
def add(store: str, user: str, role: str, database: str) -> None:
    """Add a member, or change a member's role.

    \b
    Example:
      plantstore member add --store nursery --user ada --role editor
    """
    with closing(open_existing(database)) as administration:
        administration.add_member(store, user, Role(role))
    log_change("member add", store=store, user=user, role=role)


@member.command()
@click.option("--store", required=True, help="Name of the store.")
@click.option("--user", required=True, help="User name.")
@database_option
def remove(store: str, user: str, database: str) -> None:
    """Remove a member: the user's tokens lose access to the store.

    \b
    Example:
      plantstore member remove --store nursery --user ada
    """
    with closing(open_existing(database)) as administration:
        administration.remove_member(store, user)
    log_change("member remove", store=store, user=user)


@member.command("list")
@click.option("--store", required=True, help="Name of the store.")
@database_option
@json_option
def list_members(store: str, database: str, *, as_json: bool) -> None:
    """List the members of a store.

    \b
    Example:
      plantstore member list --store nursery
    """
    with closing(open_existing(database)) as administration:
        found = administration.list_members(store)
    records = [{"user": member.subject, "role": member.role.value} for member in found]
    print_records(records, ("user", "role"), as_json=as_json)
