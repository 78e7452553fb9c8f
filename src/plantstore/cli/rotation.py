"""``plantstore token rotate``."""

import click
from msgspec import UNSET

from plantstore.cli.administration_log import log_token
from plantstore.cli.completion import complete_tokens
from plantstore.cli.durations import EXPIRES, read_duration, read_expiry
from plantstore.cli.new_tokens import print_issued, read_token
from plantstore.cli.options import change_options
from plantstore.cli.output import Output, format_time
from plantstore.sql.administration.rotation import rotate_token
from plantstore.sql.administration.tokens import find_token
from plantstore.sql.session import Session


@click.command()
@click.argument("token", shell_complete=complete_tokens)
@click.option(
    "--grace",
    metavar="1h|0",
    default="1h",
    show_default=True,
    callback=lambda _context, _option, text: 0 if text == "0" else read_duration(text),
    help="How long the old token stays valid, in m, h, d or w.",
)
@click.option(
    "--expires",
    metavar=EXPIRES,
    help="When the new token expires; by default it is valid for as long as the old one was.",
)
@change_options
def rotate(session: Session, token: str, grace: int, expires: str | None, output: Output) -> None:
    """Replace a token: print a new one with the same user, store, scopes and label.

    TOKEN is the old token's id, or the token itself, or - to read it from stdin. The old one
    expires after the grace time.

    \b
    Example:
      TOKEN=$(plantstore token rotate 1f0c9a52b7d84e63 --grace 1d)
    """
    expires_at = UNSET if expires is None else read_expiry(expires)
    given = read_token(token)
    with session.transaction():
        issued, old = rotate_token(session, find_token(session, given), grace, expires_at)
    log_token("token rotate", issued.token, old_token_id=old.token_id)
    ends_at = format_time(old.expires_at)
    output.note(f"the old token {old.token_id} expires at {ends_at}")
    print_issued(issued, output, old_id=old.token_id, old_expires_at=ends_at)
