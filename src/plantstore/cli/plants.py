"""``plantstore plant``: restore."""

from contextlib import closing

import click

from plantstore.bootstrap import open_existing
from plantstore.cli.administration_log import log_change
from plantstore.cli.options import database_option


@click.group()
def plant() -> None:
    """Manage single plants."""


@plant.command(context_settings={"ignore_unknown_options": True})  # ids may be negative
@click.argument("id", type=int)
@click.option("--store", required=True, help="Name of the store.")
@database_option
def restore(id: int, store: str, database: str) -> None:  # noqa: A002 - the argument's name
    """Bring back the plant ID, as it was when it was deleted.

    \b
    Example:
      plantstore plant restore --store nursery 7
    """
    with closing(open_existing(database)) as administration:
        found = administration.restore_plant(store, id)
    log_change("plant restore", plant_id=found.id, store=store)
    click.echo(f"restored the plant {found.id}, {found.name!r}, in {store}", err=True)
