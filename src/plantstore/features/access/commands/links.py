"""``plantstore link``: an address to sign in with, once."""

import click

from plantstore.cli.administration_log import changing
from plantstore.cli.options import (
    change_options,
    grant_options,
    store_option,
    user_option,
)
from plantstore.cli.output import Output, format_time
from plantstore.cli.sources import find_sources
from plantstore.features.access.address import find_address
from plantstore.features.access.links import create_link
from plantstore.model import Grant
from plantstore.server.listeners import make_origin
from plantstore.settings import Settings, load_database
from plantstore.sources import Sources
from plantstore.sql.administration.records import require_store
from plantstore.sql.session import Session


@click.command()
@store_option("Name of the store.", required=True)
@user_option("User name of a member.", required=True)
@grant_options
@click.option(
    "--address",
    metavar="URL",
    help="Address of the page; else the setting public_url, else that of the running service.",
)
@change_options
@click.pass_context
def link(
    context: click.Context,
    session: Session,
    store: str,
    user: str,
    expires: int | None,
    label: str,
    address: str | None,
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
    address = _find_address(find_sources(context), address, output)
    grant = Grant(subject=user, label=label, expires_at=expires, manages=manages)
    with changing(session, "link", store=store, user=user):
        made = create_link(session, require_store(session, store).store_id, grant)
    url, ends_at = make_url(address, made.code), format_time(made.expires_at)
    output.note(f"it signs {user} in to {store}, once, until {ends_at}")
    record = {"url": url, "code": made.code, "store": store, "user": user, "expires_at": ends_at}
    output.print(record, url)


def _find_address(sources: Sources, given: str | None, output: Output) -> str:
    """Where the service's page is.

    :raises click.UsageError: a browser could not open it there.
    """
    public_url = sources.read(Settings, "public_url").public_url
    address = given or (public_url if "://" in public_url else None)
    address = address or find_address(load_database(sources))
    if address is None:
        settings = sources.read(Settings, "tls_cert", "host", "port")
        scheme = "http" if settings.tls_cert is None else "https"
        address = make_origin(scheme, settings.host, settings.port)
        output.note(f"no running service was found; give --address if it is not at {address}")
    if not address.startswith(("http://", "https://")):
        raise click.UsageError(
            f"a browser cannot open {address}: give --address with http:// or https://"
        )
    return address


def make_url(address: str, code: str) -> str:
    """The address that signs in: the page takes the code from it."""
    return f"{address.rstrip('/')}/#code={code}"
