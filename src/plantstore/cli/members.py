"""``plantstore member``: add, remove, list."""

import click

from plantstore.cli.administration_log import log_change
from plantstore.cli.options import (
    change_options,
    read_options,
    role_option,
    store_option,
    user_option,
    yes_option,
)
from plantstore.cli.output import Output
from plantstore.model import Role
from plantstore.sql.administered import Token
from plantstore.sql.administration import Administration

_last_owner_option = yes_option("Leave the store without an owner.")


@click.group()
def member() -> None:
    """Manage the members of a store and their roles."""


@member.command()
@store_option("Name of the store.", required=True)
@user_option("User name.", required=True)
@role_option(
    "reader: list; editor: list, create, update, delete; owner: these, and manage.", required=True
)
@_last_owner_option
@change_options
def add(
    administration: Administration, store: str, user: str, role: str, output: Output, *, yes: bool
) -> None:
    """Add a member, or change a member's role.

    Tokens keep their scopes: with a higher role they may do no more than before, and are named.

    \b
    Example:
      plantstore member add --store nursery --user ada --role editor
    """
    before = administration.add_member(store, user, Role(role), keep_owners=not yes)
    narrow = _find_narrow_tokens(administration, store, user, Role(role))
    log_change("member add", store=store, user=user, role=role)
    sentence = f"{user} is {role} of {store}" + (f", no longer {before}" if before else "")
    record = {
        "store": store,
        "user": user,
        "role": role,
        "old_role": before,
        "narrower_tokens": [token.token_id for token in narrow],
    }
    output.report_change(record, sentence)
    for token in narrow:
        allowed = ", ".join(sorted(token.scopes))
        output.note(f"the token {token.token_id} still allows only: {allowed}")


def _find_narrow_tokens(
    administration: Administration, store: str, user: str, role: Role
) -> list[Token]:
    """The user's valid tokens that open the store, but allow less than a new one would."""
    return [
        token
        for token in administration.list_tokens(subject=user)
        if token.state.is_valid
        and (token.all_stores or token.store == store)
        and role.default_scopes - token.scopes
    ]


@member.command()
@store_option("Name of the store.", required=True)
@user_option("User name.", required=True)
@_last_owner_option
@change_options
def remove(
    administration: Administration, store: str, user: str, output: Output, *, yes: bool
) -> None:
    """Remove a member: the user's tokens lose access to the store.

    \b
    Example:
      plantstore member remove --store nursery --user ada
    """
    administration.remove_member(store, user, keep_owners=not yes)
    log_change("member remove", store=store, user=user)
    output.report_change({"store": store, "user": user}, f"{user} is no longer in {store}")


@member.command("list")
@store_option("Name of the store.", required=True)
@read_options
def list_members(administration: Administration, store: str, output: Output) -> None:
    """List the members of a store.

    \b
    Example:
      plantstore member list --store nursery
    """
    found = administration.list_members(store)
    records = [{"user": member.subject, "role": member.role.value} for member in found]
    output.print_records(records, ("user", "role"))
