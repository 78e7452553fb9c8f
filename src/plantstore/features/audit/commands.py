"""``plantstore audit``: list."""

from collections.abc import Mapping

import click
import msgspec

from plantstore.cli.options import reading_options, since_option, store_option, user_option
from plantstore.cli.output import Output, format_time
from plantstore.core.database import Row
from plantstore.sql.administration.records import require_store, require_user
from plantstore.sql.session import Queries

_COLUMNS = ("at", "action", "store", "user", "by", "via", "address", "details")


@click.group()
def audit() -> None:
    """Show who changed stores, users, members, tokens and links."""


@audit.command("list")
@user_option(help="Only changes by this user, or to this user.")
@store_option(help="Only changes in this store.")
@since_option(
    help="Only changes since a date (UTC), such as 2030-01-31, or an age, in m, h, d or w."
)
@reading_options
def list_audit(
    session: Queries, user: str | None, store: str | None, since: int | None, output: Output
) -> None:
    """List the changes, by commands and over HTTP: what, when, by whom and from where.

    BY is the user of the token over HTTP, or the system's user who ran the command; the address is
    the client's, or the machine's name. Changes are kept for audit_keep days (400).

    \b
    Examples:
      plantstore audit list --since 7d
      plantstore audit list --user ada --json
    """
    if user is not None:
        require_user(session, user)
    rows = session.query("list_audit", user, store, since)
    if store is not None and not rows:  # a deleted store may still have entries
        require_store(session, store)
    output.print_records((_describe(row, output) for row in rows), _COLUMNS)


def _describe(row: Row, output: Output) -> Mapping[str, object]:
    at, action, store, user_id, user, by_id, by_user, by_name, token_id, address, text = row
    details = msgspec.json.decode(text)
    if not output.as_json:
        details = [f"{key}={value}" for key, value in details.items()]
    return {
        "at": format_time(at),
        "action": action,
        "store": store,
        "user": _name(user_id, user),
        "by": by_name or _name(by_id, by_user),
        "via": "command" if by_id is None else "http",
        "address": address,
        "token_id": token_id,
        "details": details,
    }


def _name(user_id: int | None, subject: str | None) -> str | None:
    return subject if user_id is None or subject is not None else f"deleted user {user_id}"
