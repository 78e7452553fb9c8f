"""``plantstore token``: create, list, rotate, revoke; and how the command line shows a token."""

import shlex
import sys
from typing import Any

import click

from plantstore.cli.administration_log import name_token, noting
from plantstore.cli.confirmation import confirm
from plantstore.cli.durations import read_duration, read_since
from plantstore.cli.options import (
    grant_options,
    reading_options,
    role_option,
    session_options,
    store_option,
    user_option,
    yes_option,
)
from plantstore.cli.output import Output, format_time
from plantstore.core.clock import now
from plantstore.core.errors import SetupError
from plantstore.core.model import Grant, Scope
from plantstore.sql.administration import tokens as records
from plantstore.sql.administration.new_tokens import create_token, find_missing
from plantstore.sql.administration.records import require_store, require_user
from plantstore.sql.session import Queries, Session

_COLUMNS = (
    *("id", "store", "user", "all_stores", "permissions"),
    *("state", "expires_at", "last_used_at", "label"),
)


@click.group()
def token() -> None:
    """Create, rotate, list and revoke tokens."""


@token.command()
@store_option(help="Name of the token's store.", required=True)
@user_option(help="User name.", required=True)
@role_option(help="Role of a new member: by default owner of a new store, else editor.")
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
    help="Give access to all stores of the user. The token is deleted with its own store.",
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
    _print_issued(issued, output)
    warn_of_similar(missing, output)


@token.command("list")
@store_option(help="Only tokens made for this store.")
@user_option(help="Only tokens of this user.")
@click.option("--active", is_flag=True, help="Only tokens that are valid now.")
@click.option(
    "--expiring",
    metavar="14d",
    callback=lambda _context, _option, text: None if text is None else read_duration(text),
    help="Only valid tokens that expire within this time, in m, h, d or w.",
)
@click.option(
    "--not-used-since",
    metavar="TIME",
    callback=read_since,
    help="Only valid tokens not used since a date (UTC), or for a time, such as 90d.",
)
@reading_options
def list_tokens(
    session: Queries,
    store: str | None,
    user: str | None,
    expiring: int | None,
    not_used_since: int | None,
    output: Output,
    *,
    active: bool,
) -> None:
    """List tokens, without their secrets: what each may do now, its state, its last use.

    The state is active, expiring (within 14 days), expired or revoked. The permissions are what
    both the scopes and the user's role allow, in any store if the token is for all stores. The
    last use is accurate to about two minutes.

    \b
    Examples:
      plantstore token list --store nursery --active
      plantstore token list --expiring 30d --json
      plantstore token list --not-used-since 90d
    """
    listed = records.list_tokens(session, *_ids_of(session, store, user))
    if active or expiring is not None or not_used_since is not None:
        listed = [token for token in listed if token.is_valid]
    if expiring is not None:
        ends_at = now() + expiring
        listed = [token for token in listed if token.expires_at and token.expires_at <= ends_at]
    if not_used_since is not None:
        listed = [it for it in listed if (it.last_used_at or it.created_at) < not_used_since]
    output.print_records(map(_describe_token, listed), _COLUMNS)
    if soon := sum(token.state is records.TokenState.EXPIRING for token in listed):
        output.note(f"tokens that expire within 14 days: {soon}; see `plantstore token rotate`")


@token.command()
@click.argument("token")
@click.option(
    "--grace",
    metavar="1h|0",
    default="1h",
    show_default=True,
    callback=lambda _context, _option, text: 0 if text == "0" else read_duration(text),
    help="How long the old token stays valid, in m, h, d or w.",
)
@session_options
def rotate(session: Session, token: str, grace: int, output: Output) -> None:
    """Replace a token: print a new one with the same user, store, scopes and label.

    TOKEN is the old token's id, or the token itself, or - to read it from stdin. The old one
    expires after the grace time; the new one has the same lifetime, counted from now.

    \b
    Example:
      TOKEN=$(plantstore token rotate 1f0c9a52b7d84e63 --grace 1d)
    """
    given = _read_token(token)
    with noting(session) as note:
        issued, old = records.rotate_token(session, records.find_token(session, given), grace)
        note("token rotate", **name_token(issued.token), old_token_id=old.token_id)
    ends_at = format_time(old.expires_at)
    expires_at = format_time(issued.token.expires_at)
    ends = "never expires" if expires_at is None else f"expires at {expires_at}"
    output.note(f"the new token {ends}; the old token {old.token_id} expires at {ends_at}")
    _print_issued(issued, output, old_id=old.token_id, old_expires_at=ends_at)


@token.command()
@click.argument("tokens", metavar="[TOKEN]...", nargs=-1)
@user_option(help="Revoke the tokens of this user.")
@store_option(help="With --user or --all: only tokens made for this store.")
@click.option("--all", "all_tokens", is_flag=True, help="Revoke all tokens.")
@yes_option(help="With --all, of all stores: skip the confirmation prompt.")
@session_options
def revoke(
    session: Session,
    tokens: tuple[str, ...],
    user: str | None,
    store: str | None,
    output: Output,
    *,
    all_tokens: bool,
    yes: bool,
) -> None:
    """Revoke tokens. TOKENS are their ids, or the tokens themselves, or - to read one from stdin.

    Instead of TOKENS, give --user or --all; --store limits them to one store.

    \b
    Examples:
      plantstore token revoke 1f0c9a52b7d84e63
      plantstore token revoke --user ada
      plantstore token revoke --all --store nursery
    """
    if sum((bool(tokens), user is not None, all_tokens)) != 1 or (tokens and store is not None):
        raise click.UsageError("give tokens, or --user, or --all; --store needs --user or --all")
    if all_tokens and store is None and not yes:
        valid = sum(token.is_valid for token in records.list_tokens(session))
        if valid:
            confirm(f"Revoke all {valid} valid tokens, of all stores?", "revoke")
    given = list(map(_read_token, tokens))
    with noting(session) as note:
        before = dict.fromkeys(records.find_token(session, token) for token in given)
        revoked = [records.revoke_token(session, token) for token in before]
        if not given:
            revoked = records.revoke_tokens(session, *_ids_of(session, store, user))
        for token in revoked:
            if token not in before:  # it was already revoked
                note("token revoke", **name_token(token))
    for token in revoked:
        whose = f"{token.token_id} of {token.subject} for {token.store}"
        was = f"the token {whose} was revoked at {format_time(token.revoked_at)}"
        output.note(was if token in before else f"revoked the token {whose}")
    if not revoked:
        output.note("no token to revoke, and no unused link is left")
    if user is not None and any(Scope.MANAGE in token.scopes for token in revoked):
        output.note(
            f"{user} could add members, tokens, links and webhooks, which stay valid: see "
            f"`plantstore audit list --user {shlex.quote(user)}`"
        )
    output.report(list(map(_describe_token, revoked)))


def _ids_of(session: Queries, store: str | None, user: str | None) -> tuple[int | None, int | None]:
    store_id = None if store is None else require_store(session, store).store_id
    return store_id, None if user is None else require_user(session, user).user_id


def warn_of_similar(created: list[str], output: Output) -> None:
    """Note which of ``find_missing`` have a similar name, now that they are created."""
    for similar in created:
        if "did you mean" in similar:
            output.note(f"check the name of the new {similar}")


def _print_issued(issued: records.IssuedToken, output: Output, **more: object) -> None:
    """Print a new token, with ``more`` fields if JSON, and notes on what was created for it."""
    for note in issued.made:
        output.note(note)
    output.print({"token": issued.secret, **_describe_token(issued.token), **more}, issued.secret)


def _read_token(token: str) -> str:
    """The token in an argument; ``-`` stands for stdin."""
    return sys.stdin.readline().strip() if token == "-" else token  # noqa: S105 - stands for stdin


def _describe_token(token: records.Token) -> dict[str, Any]:
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
