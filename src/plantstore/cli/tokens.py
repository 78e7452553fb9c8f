"""``plantstore token``: list, revoke; create and rotate are those of ``new_tokens.py``."""

from collections.abc import Sequence
from contextlib import closing

import click

from plantstore.bootstrap import open_existing
from plantstore.cli.administration_log import log_token
from plantstore.cli.completion import complete_tokens
from plantstore.cli.durations import read_duration
from plantstore.cli.new_tokens import create, read_token, rotate
from plantstore.cli.options import (
    change_options,
    database_option,
    json_option,
    store_option,
    user_option,
)
from plantstore.cli.output import format_time, print_json, print_note, print_records
from plantstore.cli.token_records import COLUMNS, describe_token
from plantstore.clock import now
from plantstore.sql.administered import Token, TokenState
from plantstore.sql.administration import Administration


@click.group()
def token() -> None:
    """Create, rotate, list and revoke tokens."""


token.add_command(create)
token.add_command(rotate)


@token.command("list")
@store_option("Only tokens made for this store.")
@user_option("Only tokens of this user.")
@click.option("--active", is_flag=True, help="Only tokens that are valid now.")
@click.option(
    "--expiring",
    metavar="14d",
    callback=lambda _context, _option, text: None if text is None else read_duration(text),
    help="Only valid tokens that expire within this time, in m, h, d or w.",
)
@database_option
@json_option
def list_tokens(
    store: str | None,
    user: str | None,
    expiring: int | None,
    database: str,
    *,
    active: bool,
    as_json: bool,
) -> None:
    """List tokens, without their secrets: what each may do now, its state, its last use.

    The state is active, expiring (valid for at most 14 days more), expired or revoked. The
    permissions are what both the scopes and the user's role allow, in some store if the token is
    for all stores. The last use is right to about two minutes.

    \b
    Examples:
      plantstore token list --store nursery --active
      plantstore token list --expiring 30d --json
    """
    with closing(open_existing(database)) as administration:
        found = administration.list_tokens(store, user)
    if active or expiring is not None:
        found = [one for one in found if one.state.is_valid]
    if expiring is not None:
        ends_at = now() + expiring
        found = [one for one in found if one.expires_at is not None and one.expires_at <= ends_at]
    print_records(map(describe_token, found), COLUMNS, as_json=as_json)
    if soon := sum(one.state is TokenState.EXPIRING for one in found):
        print_note(f"expire within 14 days: {soon}; see `plantstore token rotate`")


@token.command()
@click.argument("tokens", metavar="[TOKEN]...", nargs=-1, shell_complete=complete_tokens)
@user_option("Revoke the tokens of this user.")
@store_option("With --user or --all: only tokens made for this store.")
@click.option("--all", "all_tokens", is_flag=True, help="Revoke all tokens.")
@change_options
def revoke(
    tokens: tuple[str, ...],
    user: str | None,
    store: str | None,
    database: str,
    *,
    all_tokens: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Revoke tokens. TOKENS are their ids, or the tokens themselves, or - to read one from stdin.

    Instead of TOKENS, give --user, or --all, maybe with --store.

    \b
    Examples:
      plantstore token revoke 1f0c9a52b7d84e63
      plantstore token revoke --user ada
      plantstore token revoke --all --store nursery
    """
    _require_one_way(tokens, user, store, all_tokens=all_tokens)
    with closing(open_existing(database)) as administration:
        if tokens:
            found: Sequence[Token] = [administration.find_token(read_token(one)) for one in tokens]
        else:
            listed = administration.list_tokens(store, user)
            found = [one for one in listed if one.revoked_at is None]
        revoked = [_revoke(administration, one, quiet=quiet) for one in found]
    if not found:
        print_note("there is no token to revoke", quiet=quiet)
    if as_json:
        print_json([describe_token(one) for one in revoked])


def _require_one_way(
    tokens: Sequence[str], user: str | None, store: str | None, *, all_tokens: bool
) -> None:
    if sum((bool(tokens), user is not None, all_tokens)) != 1 or (tokens and store is not None):
        raise click.UsageError("give tokens, or --user, or --all; --store goes with the last two")


def _revoke(administration: Administration, found: Token, *, quiet: bool) -> Token:
    whose = f"{found.token_id} of {found.subject} for {found.store}"
    if found.revoked_at is not None:
        print_note(f"the token {whose} was revoked at {format_time(found.revoked_at)}", quiet=quiet)
        return found
    revoked = administration.revoke_token(found.token_id)
    log_token("token revoke", revoked)
    print_note(f"revoked the token {whose}", quiet=quiet)
    return revoked
