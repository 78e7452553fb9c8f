"""``plantstore link``: create, list and revoke addresses that sign in, once."""

import click

from plantstore.cli.administration_log import noting
from plantstore.cli.options import (
    grant_options,
    reading_options,
    session_options,
    store_option,
    user_option,
)
from plantstore.cli.output import Output, format_time
from plantstore.cli.sources import find_sources
from plantstore.core.model import Grant
from plantstore.core.settings import Settings
from plantstore.features.access import links
from plantstore.features.access.links import Link
from plantstore.server import listeners
from plantstore.sql.administration.records import require_store
from plantstore.sql.session import Queries, Session

_COLUMNS = ("id", "store", "user", "scopes", "code_expires_at", "label")


@click.group()
def link() -> None:
    """Create, list and revoke links to sign in with."""


@link.command()
@store_option(help="Name of the store.", required=True)
@user_option(help="User name of a member.", required=True)
@grant_options
@click.option(
    "--address",
    metavar="URL",
    help="Address of the page; else the setting public_url, else the settings host and port.",
)
@session_options
def create(session: Session, grant: Grant, address: str | None, output: Output) -> None:
    """Print an address that signs a member in, once and within 10 minutes.

    Whoever opens it in a browser gets a new token, which may do all that the user's role allows;
    manage only with --manage. The address has only a code, after the #, which is not sent.

    \b
    Example:
      plantstore link create --store nursery --user ada
    """
    settings = find_sources().read(Settings, "public_url", "tls_cert", "uds", "host", "port")
    named = address or (settings.public_url if "://" in settings.public_url else None)
    address = named or _find_own_address(settings)
    if not address.startswith(("http://", "https://")):
        raise click.UsageError(
            f"a browser cannot open {address}: give --address with http:// or https://"
        )
    store, user = grant.store, grant.subject
    with noting(session) as note:
        made = links.create_link(session, require_store(session, store).store_id, grant)
        note("link create", link_id=made.link_id, store=store, user=user)
    url = make_url(address, made.code)
    until = format_time(made.expires_at)
    output.note(f"this link signs {user} in to {store}, once, until {until}:")
    output.print({"url": url, "code": made.code, **_describe(made)}, url)
    if named is None:
        output.note("if users reach the page at another address, give --address")


@link.command("list")
@store_option(help="Only links of this store.")
@reading_options
def list_links(session: Queries, store: str | None, output: Output) -> None:
    """List the unused links, without their codes.

    \b
    Example:
      plantstore link list
    """
    store_id = None if store is None else require_store(session, store).store_id
    output.print_records(map(_describe, links.list_links(session, store_id)), _COLUMNS)


@link.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@session_options
def revoke(session: Session, ids: tuple[str, ...], output: Output) -> None:
    """Revoke unused links by their IDS. `plantstore token revoke --user` revokes all of a user.

    \b
    Example:
      plantstore link revoke 1f0c9a52b7d84e63
    """
    with noting(session) as note:
        revoked = [links.revoke_link(session, link_id) for link_id in ids]
        for ended in revoked:
            note("link revoke", link_id=ended.link_id, store=ended.store, user=ended.user.subject)
    for ended in revoked:
        output.note(f"revoked the link {ended.link_id} of {ended.user.subject} for {ended.store}")
    output.report(list(map(_describe, revoked)))


def _describe(made: Link) -> dict[str, object]:
    return {
        "id": made.link_id,
        "store": made.store,
        "user": made.user.subject,
        "label": made.grant.label,
        "scopes": sorted(made.grant.scopes or ()),
        "expires_at": format_time(made.grant.expires_at),
        "code_expires_at": format_time(made.expires_at),
    }


def _find_own_address(settings: Settings) -> str:
    if settings.uds:
        return f"unix:{settings.uds}"
    scheme = "http" if settings.tls_cert is None else "https"
    return listeners.make_local(listeners.make_url(scheme, settings.host, settings.port))


def make_url(address: str, code: str) -> str:
    """The address that signs in: the page reads the code from it."""
    return f"{address.rstrip('/')}/#code={code}"
