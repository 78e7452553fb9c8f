"""What the command line shows of tokens."""

from typing import Any

import click

from plantstore.cli.output import format_time, print_json, print_note
from plantstore.sql.administered import IssuedToken, Token

COLUMNS = (
    "id",
    "store",
    "user",
    "all_stores",
    "permissions",
    "state",
    "expires_at",
    "last_used_at",
    "label",
)


def describe_token(found: Token) -> dict[str, Any]:
    """A token for JSON and tables; its ``permissions`` are what it may do now."""
    return {
        "id": found.token_id,
        "store": found.store,
        "user": found.subject,
        "label": found.label,
        "scopes": sorted(found.scopes),
        "permissions": sorted(found.permissions) if found.state.is_valid else [],
        "all_stores": found.all_stores,
        "state": found.state,
        "created_at": format_time(found.created_at),
        "expires_at": format_time(found.expires_at),
        "revoked_at": format_time(found.revoked_at),
        "last_used_at": format_time(found.last_used_at),
    }


def print_issued(issued: IssuedToken, *, as_json: bool, quiet: bool, **more: object) -> None:
    """A new token, with ``more`` fields as JSON, and notes on what was created for it."""
    for note in issued.made:
        print_note(note, quiet=quiet)
    if as_json:
        print_json({"token": issued.secret, **describe_token(issued.token), **more})
    else:
        click.echo(issued.secret)
