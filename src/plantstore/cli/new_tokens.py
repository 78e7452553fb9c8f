"""``plantstore token create``, and how the command line shows a token."""

import sys
from typing import Any

import click

from plantstore.cli.administration_log import name_token, noting
from plantstore.cli.options import (
    grant_options,
    role_option,
    session_options,
    store_option,
    user_option,
)
from plantstore.cli.output import Output, format_time
from plantstore.core.errors import SetupError
from plantstore.core.model import Grant, Scope
from plantstore.sql.administration.new_tokens import create_token, find_missing
from plantstore.sql.administration.tokens import IssuedToken, Token
from plantstore.sql.session import Session


@click.command()
@store_option("Name of the token's store.")
@user_option("User name.", required=True)
@role_option("Role of a new member: by default owner of a new store, else editor.")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice([scope.value for scope in Scope]),
    multiple=True,
    help="What the token may do; repeatable. By default all that the role allows, except manage.",
)
@grant_options
@click.option(
    "--all-stores",
    is_flag=True,
    help="Give access to all stores of the user. The token's own store is --store, or the user's "
    "only store; the token is deleted with it.",
)
@click.option("--create", "creates", is_flag=True, help="Create a missing user or store.")
@session_options
def create(session: Session, grant: Grant, output: Output, *, creates: bool) -> None:
    """Create a token and print it: it cannot be shown again.

    A missing user or store is created with --create. The user becomes a member of the store.

    \b
    Examples:
      TOKEN=$(plantstore token create --create --store nursery --user ada)
      plantstore token create --create --store nursery --user kiosk --role reader --expires 90d
      plantstore token create --store nursery --user ada --all-stores --scope list
    """
    missing = find_missing(session, grant)
    if missing and not creates:
        raise SetupError(f"there is no {' and no '.join(missing)}: add --create to create it")
    with noting(session) as note:
        issued = create_token(session, grant)
        note("token create", **name_token(issued.token))
    print_issued(issued, output)
    warn_of_similar(missing, output)


def warn_of_similar(created: list[str], output: Output) -> None:
    """Note which of ``find_missing`` have a similar name, now that they are created."""
    for similar in created:
        if "did you mean" in similar:
            output.note(f"check the name of the new {similar}")


def print_issued(issued: IssuedToken, output: Output, **more: object) -> None:
    """Print a new token, with ``more`` fields if JSON, and notes on what was created for it."""
    for note in issued.made:
        output.note(note)
    output.print({"token": issued.secret, **describe_token(issued.token), **more}, issued.secret)


def read_token(token: str) -> str:
    """The token in an argument; ``-`` stands for stdin."""
    return sys.stdin.readline().strip() if token == "-" else token  # noqa: S105 - stands for stdin


def describe_token(token: Token) -> dict[str, Any]:
    """A token for JSON and tables; its ``permissions`` are those that it has now."""
    return {
        "id": token.token_id,
        "store": token.store,
        "user": token.subject,
        "label": token.label,
        "scopes": sorted(token.scopes),
        "permissions": sorted(token.permissions) if token.is_valid else [],
        "all_stores": token.all_stores,
        "state": token.state,
        "created_at": format_time(token.created_at),
        "expires_at": format_time(token.expires_at),
        "revoked_at": format_time(token.revoked_at),
        "last_used_at": format_time(token.last_used_at),
    }
