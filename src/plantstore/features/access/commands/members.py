"""``plantstore member``: add, remove, list."""

import click

from plantstore.cli.administration_log import changing, noting
from plantstore.cli.options import (
    reading_options,
    role_option,
    session_options,
    store_option,
    user_option,
    yes_option,
)
from plantstore.cli.output import Output, format_time
from plantstore.cli.tokens import warn_of_similar
from plantstore.core.model import Grant, Role
from plantstore.features.access import members
from plantstore.sql.administration.new_tokens import find_missing
from plantstore.sql.administration.records import insert_user, require_store, require_user
from plantstore.sql.session import Queries, Session

_last_owner_option = yes_option(help="Leave the store without an owner.")


@click.group()
def member() -> None:
    """Manage the members of a store and their roles."""


@member.command()
@store_option(help="Name of the store.", required=True)
@user_option(help="User name.", required=True)
@role_option(
    help="reader: list; editor: list, create, update, delete; owner: these, and manage.",
    required=True,
)
@click.option("--create", "creates", is_flag=True, help="Create a missing user.")
@_last_owner_option
@session_options
def add(
    session: Session, store: str, user: str, role: str, output: Output, *, creates: bool, yes: bool
) -> None:
    """Add a member, or change a member's role.

    Tokens keep their scopes: to use a higher role, create a new token.

    \b
    Examples:
      plantstore member add --create --store nursery --user grace --role editor
      plantstore member add --store nursery --user ada --role owner
    """
    missing = find_missing(session, Grant(user, store)) if creates else []
    with noting(session) as note:
        store_id = require_store(session, store).store_id
        if missing:
            insert_user(session, user)
        member = require_user(session, user)
        before = members.set_member(session, store_id, member, Role(role), keep_owner=not yes)
        if before != role:
            note("member add", store=store, user=user, role=role)
    sentence = f"{user} is {role} of {store}"
    if before not in {None, role}:
        sentence += f", no longer {before}"
    if before is not None and before.scopes < Role(role).scopes:
        sentence += "; tokens keep their scopes: to use the higher role, create a new one"
    output.report({"store": store, "user": user, "role": role, "old_role": before}, sentence)
    warn_of_similar(missing, output)


@member.command()
@store_option(help="Name of the store.", required=True)
@user_option(help="User name.", required=True)
@_last_owner_option
@session_options
def remove(session: Session, store: str, user: str, output: Output, *, yes: bool) -> None:
    """Remove a member: the user's tokens lose access to the store.

    \b
    Example:
      plantstore member remove --store nursery --user ada
    """
    with changing(session, "member remove", store=store, user=user):
        store_id = require_store(session, store).store_id
        members.remove_member(session, store_id, user, keep_owner=not yes)
    output.report({"store": store, "user": user}, f"{user} is no longer in {store}")


@member.command("list")
@store_option(help="Name of the store.", required=True)
@reading_options
def list_members(session: Queries, store: str, output: Output) -> None:
    """List the members of a store.

    \b
    Example:
      plantstore member list --store nursery
    """
    rows = session.query("list_members", require_store(session, store).store_id, None)
    records = (
        {"user": user, "role": role, "since": format_time(since), "by": by}
        for user, role, since, by in rows
    )
    output.print_records(records, ("user", "role", "since", "by"))
