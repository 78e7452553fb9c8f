"""``plantstore link``: an address to sign in with, once."""

import click

from plantstore.cli.administration_log import log_change
from plantstore.cli.new_tokens import EXPIRES, find_expiry, make_label
from plantstore.cli.options import change_options, read_setting, store_option, user_option
from plantstore.cli.output import Output, format_time
from plantstore.model import TokenRequest
from plantstore.sql.administration import Administration


def _find_address(context: click.Context, _option: click.Parameter, given: str | None) -> str:
    """Where the service's page is, without the slash at the end."""
    address: str = given or read_setting(context, "public_url")
    if "://" not in address:
        scheme = "http" if read_setting(context, "tls_cert") is None else "https"
        address = f"{scheme}://localhost:{read_setting(context, 'port')}"
    return address.rstrip("/")


@click.command()
@store_option("Name of the store.", required=True)
@user_option("User name of a member.", required=True)
@click.option(
    "--manage",
    "manages",
    is_flag=True,
    help="Let an owner also manage the store's members and tokens.",
)
@click.option(
    "--expires",
    metavar=EXPIRES,
    callback=find_expiry,
    help="When the token expires that the link gives, as with token create.",
)
@click.option(
    "--label",
    default=make_label,
    help="A note that identifies the token, as with token create.",
)
@click.option(
    "--address",
    metavar="URL",
    callback=_find_address,
    help="Where the service is; else the setting public_url, else this machine.",
)
@change_options
def link(
    administration: Administration,
    store: str,
    user: str,
    expires: int | None,
    label: str,
    address: str,
    output: Output,
    *,
    manages: bool,
) -> None:
    """Print an address that signs a member in, once and within 10 minutes.

    Whoever opens it in a browser gets a new token, which may do all that the user's role allows;
    manage only with --manage. The address has only a code, after the #, which is not sent.

    \b
    Example:
      plantstore link --store nursery --user ada
    """
    request = TokenRequest(subject=user, label=label, expires_at=expires, manages=manages)
    made = administration.create_link(store, request)
    log_change("link", store=store, user=user)
    url, ends_at = make_url(address, made.code), format_time(made.expires_at)
    output.note(f"it signs {user} in to {store}, once, until {ends_at}")
    record = {"url": url, "code": made.code, "store": store, "user": user, "expires_at": ends_at}
    output.print(record, url)


def make_url(address: str, code: str) -> str:
    """The address that signs in: the page takes the code from it."""
    return f"{address}/#code={code}"
