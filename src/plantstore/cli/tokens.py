"""``plantstore token``: create, list, revoke."""

import re
import sys
from contextlib import closing
from typing import Any

import click

from plantstore.bootstrap import open_existing
from plantstore.cli.administration_log import log_token
from plantstore.cli.options import database_option, json_option, quiet_option, quota_option
from plantstore.cli.output import format_time, print_json, print_records
from plantstore.clock import now
from plantstore.model import IssuedToken, Role, Scope, Token, TokenRequest

_LIFETIME = re.compile(r"([1-9][0-9]{0,5})([mhdw])")
_UNIT_SECONDS = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_LONGEST_SECONDS = 36_500 * 86_400
_COLUMNS = ("id", "store", "user", "label", "scopes", "all_stores", "expires_at", "revoked_at")


@click.group()
def token() -> None:
    """Create, list and revoke tokens."""


def _read_lifetime(_context: click.Context, _option: click.Parameter, text: str) -> int | None:
    """When the token expires, in Unix milliseconds; None for never."""
    if text == "never":
        return None
    match = _LIFETIME.fullmatch(text)
    if match is None:
        raise click.BadParameter("write never, or a number with m, h, d or w, such as 90d")
    seconds = int(match[1]) * _UNIT_SECONDS[match[2]]
    if seconds > _LONGEST_SECONDS:
        raise click.BadParameter("write never, or at most 36500d")
    return now() + seconds * 1000


@token.command()
@click.option("--store", help="Name of the token's store; it is created if missing.")
@click.option("--user", required=True, help="User name; the user is created if missing.")
@click.option(
    "--role",
    type=click.Choice([role.value for role in Role]),
    help="Role of a new member: by default owner of a new store, else editor.",
)
@click.option(
    "--scope",
    "scopes",
    type=click.Choice([scope.value for scope in Scope]),
    multiple=True,
    help="What the token may do; repeatable; by default everything that the role allows.",
)
@click.option(
    "--expires",
    metavar="90d|never",
    default="never",
    show_default=True,
    callback=_read_lifetime,
    help="How long the token is valid, in m, h, d or w.",
)
@click.option("--label", default="", help="A note that identifies the token.")
@click.option(
    "--all-stores",
    is_flag=True,
    help="Give access to every store of the user. The token belongs to the oldest of them, and is "
    "deleted with that store.",
)
@quota_option
@database_option
@json_option
@quiet_option
def create(
    store: str | None,
    user: str,
    role: str | None,
    scopes: tuple[str, ...],
    expires: int | None,
    label: str,
    max_plants: int | None,
    database: str,
    *,
    all_stores: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Create a token and print it: it cannot be shown again.

    A missing store, user or membership is created too.

    \b
    Examples:
      TOKEN=$(plantstore token create --store nursery --user ada)
      plantstore token create --store nursery --user kiosk --role reader --expires 90d
      plantstore token create --user ada --all-stores --scope list
    """
    _require_store(store, role, all_stores=all_stores)
    request = TokenRequest(
        subject=user,
        store=store,
        role=None if role is None else Role(role),
        scopes=frozenset(map(Scope, scopes)) or None,
        label=label,
        all_stores=all_stores,
        expires_at=expires,
        max_plants=max_plants,
    )
    with closing(open_existing(database)) as administration:
        issued = administration.create_token(request)
    log_token("token create", issued.token)
    _print_issued(issued, as_json=as_json, quiet=quiet)


def _require_store(store: str | None, role: str | None, *, all_stores: bool) -> None:
    if store is not None:
        return
    if not all_stores:
        raise click.UsageError("name the token's store with --store, or give --all-stores")
    if role is not None:
        raise click.UsageError(
            "--role applies to one store: name that with --store, or leave out --role"
        )


def _print_issued(issued: IssuedToken, *, as_json: bool, quiet: bool) -> None:
    for note in () if quiet else issued.made:
        click.echo(note, err=True)
    if as_json:
        print_json({"token": issued.secret, **_describe(issued.token)})
    else:
        click.echo(issued.secret)


@token.command("list")
@click.option("--store", help="Only tokens made for this store.")
@database_option
@json_option
def list_tokens(store: str | None, database: str, *, as_json: bool) -> None:
    """List tokens, without their secrets.

    \b
    Example:
      plantstore token list --store nursery
    """
    with closing(open_existing(database)) as administration:
        records = [_describe(found) for found in administration.list_tokens(store)]
    print_records(records, _COLUMNS, as_json=as_json)


@token.command()
@click.argument("token")
@database_option
@quiet_option
def revoke(token: str, database: str, *, quiet: bool) -> None:
    """Revoke a token. TOKEN is its id, or the token itself, or - to read it from stdin.

    \b
    Example:
      plantstore token revoke 1f0c9a52b7d84e63
    """
    if token == "-":  # noqa: S105 - stands for stdin
        token = sys.stdin.readline().strip()
    with closing(open_existing(database)) as administration:
        revoked = administration.revoke_token(token)
    log_token("token revoke", revoked)
    if not quiet:
        click.echo(
            f"revoked the token {revoked.token_id} of {revoked.subject} for {revoked.store}",
            err=True,
        )


def _describe(found: Token) -> dict[str, Any]:
    return {
        "id": found.token_id,
        "store": found.store,
        "user": found.subject,
        "label": found.label,
        "scopes": sorted(found.scopes),
        "all_stores": found.all_stores,
        "created_at": format_time(found.created_at),
        "expires_at": format_time(found.expires_at),
        "revoked_at": format_time(found.revoked_at),
    }
