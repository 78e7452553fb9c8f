"""``plantstore plant``: restore."""

from contextlib import closing

import click

from plantstore.bootstrap import open_administration
from plantstore.cli.options import database_option


@click.group()
def plant() -> None:
    """Manage single plants."""


@plant.command(context_settings={"ignore_unknown_options": True})  # ids may be negative
@click.argument("plant_id", metavar="ID", type=int)
@click.option("--store", required=True, help="Name of the store.")
@database_option
def restore(plant_id: int, store: str, database: str) -> None:
    """Bring back a deleted plant, as it was when it was deleted.

    \b
    Example:
      plantstore plant restore --store nursery 7
    """
    with closing(open_administration(database)) as administration:
        found = administration.restore_plant(store, plant_id)
    click.echo(f"restored the plant {found.id}, {found.name!r}, in {store}", err=True)
