"""``plantstore user``: create, list."""

from contextlib import closing

import click

from plantstore.bootstrap import open_existing
from plantstore.cli.administration_log import log_change
from plantstore.cli.options import database_option, json_option
from plantstore.cli.output import print_json, print_records


@click.group()
def user() -> None:
    """Create and list users."""


@user.command()
@click.argument("subject")
@database_option
@json_option
def create(subject: str, database: str, *, as_json: bool) -> None:
    """Create a user; SUBJECT is the user name.

    \b
    Example:
      plantstore user create ada
    """
    with closing(open_existing(database)) as administration:
        made = administration.create_user(subject)
    log_change("user create", user=subject)
    if as_json:
        print_json({"subject": made.subject})
    else:
        click.echo(made.subject)


@user.command("list")
@database_option
@json_option
def list_users(database: str, *, as_json: bool) -> None:
    """List all users.

    \b
    Example:
      plantstore user list --json
    """
    with closing(open_existing(database)) as administration:
        records = [{"subject": found.subject} for found in administration.list_users()]
    print_records(records, ("subject",), as_json=as_json)
