"""``plantstore token``: list, revoke; create and rotate are those of ``new_tokens.py``."""

from collections.abc import Sequence
from contextlib import closing

import click

from plantstore.bootstrap import open_administration
from plantstore.cli.administration_log import log_token
from plantstore.cli.completion import complete_tokens
from plantstore.cli.durations import read_duration
from plantstore.cli.new_tokens import create, describe_token, read_token, rotate
from plantstore.cli.options import (
    database_option,
    output_options,
    read_options,
    store_option,
    user_option,
)
from plantstore.cli.output import Output, format_time
from plantstore.clock import now
from plantstore.sql.administered import Token, TokenState
from plantstore.sql.administration import Administration

_COLUMNS = (
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
@read_options
def list_tokens(
    administration: Administration,
    store: str | None,
    user: str | None,
    expiring: int | None,
    output: Output,
    *,
    active: bool,
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
    found = administration.list_tokens(store, user)
    if active or expiring is not None:
        found = [one for one in found if one.state.is_valid]
    if expiring is not None:
        ends_at = now() + expiring
        found = [one for one in found if one.expires_at is not None and one.expires_at <= ends_at]
    output.print_records(map(describe_token, found), _COLUMNS)
    if soon := sum(one.state is TokenState.EXPIRING for one in found):
        output.note(f"expire within 14 days: {soon}; see `plantstore token rotate`")


@token.command()
@click.argument("tokens", metavar="[TOKEN]...", nargs=-1, shell_complete=complete_tokens)
@user_option("Revoke the tokens of this user.")
@store_option("With --user or --all: only tokens made for this store.")
@click.option("--all", "all_tokens", is_flag=True, help="Revoke all tokens.")
@database_option
@output_options
def revoke(
    tokens: tuple[str, ...],
    user: str | None,
    store: str | None,
    database: str,
    output: Output,
    *,
    all_tokens: bool,
) -> None:
    """Revoke tokens. TOKENS are their ids, or the tokens themselves, or - to read one from stdin.

    Instead of TOKENS, give --user, or --all, maybe with --store.

    \b
    Examples:
      plantstore token revoke 1f0c9a52b7d84e63
      plantstore token revoke --user ada
      plantstore token revoke --all --store nursery
    """
    if sum((bool(tokens), user is not None, all_tokens)) != 1 or (tokens and store is not None):
        raise click.UsageError("give tokens, or --user, or --all; --store goes with the last two")
    with closing(open_administration(database)) as administration:
        if tokens:
            found: Sequence[Token] = [administration.find_token(read_token(one)) for one in tokens]
        else:
            listed = administration.list_tokens(store, user)
            found = [one for one in listed if one.revoked_at is None]
        revoked = [_revoke(administration, one, output) for one in found]
    if not found:
        output.note("there is no token to revoke")
    output.report(list(map(describe_token, revoked)), [])


def _revoke(administration: Administration, found: Token, output: Output) -> Token:
    whose = f"{found.token_id} of {found.subject} for {found.store}"
    if found.revoked_at is not None:
        output.note(f"the token {whose} was revoked at {format_time(found.revoked_at)}")
        return found
    revoked = administration.revoke_token(found.token_id)
    log_token("token revoke", revoked)
    output.note(f"revoked the token {whose}")
    return revoked
