"""``plantstore verify``."""

import click

from plantstore import keeping
from plantstore.cli.options import database_option, json_option
from plantstore.cli.output import print_json
from plantstore.sql.verifying import Mismatch


@click.command()
@database_option
@json_option
def verify(database: str, *, as_json: bool) -> None:
    """Verify that the database agrees with itself: counts, plants and events.

    It reads everything, as it is at one moment, and changes nothing: also beside a running service,
    or of a backup. The exit status is 1 if something does not agree.

    \b
    Example:
      plantstore verify --database sqlite:///plants-20301231T235959.123Z.db
    """
    found = keeping.verify(database)
    for mismatch in found.mismatches if not as_json else ():
        click.echo(f"Error: {_describe(mismatch)}", err=True)
    if as_json:
        print_json(found)
    elif found.more:
        click.echo("Error: there is more that does not agree", err=True)
    elif found.ok:
        counts = f"stores: {found.stores}, plants: {found.plants}, events: {found.events}"
        click.echo(f"ok: {counts}")
    if not found.ok:
        raise click.exceptions.Exit(1)


def _describe(mismatch: Mismatch) -> str:
    plant = "" if mismatch.id is None else f", plant {mismatch.id}"
    return f"{mismatch.store}{plant}: {mismatch.what}" if mismatch.store else mismatch.what
