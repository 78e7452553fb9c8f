"""``plantstore plant``: restore."""

from contextlib import closing

import click

from plantstore.bootstrap import open_existing
from plantstore.cli.administration_log import log_change
from plantstore.cli.options import change_options, store_option
from plantstore.cli.output import print_change


@click.group()
def plant() -> None:
    """Manage single plants."""


@plant.command(context_settings={"ignore_unknown_options": True})  # ids may be negative
@click.argument("id", type=int)
@store_option("Name of the store.", required=True)
@change_options
def restore(id: int, store: str, database: str, *, as_json: bool, quiet: bool) -> None:  # noqa: A002 - the argument's name
    """Bring back the plant ID, as it was when it was deleted.

    \b
    Example:
      plantstore plant restore --store nursery 7
    """
    with closing(open_existing(database)) as administration:
        found = administration.restore_plant(store, id)
    log_change("plant restore", plant_id=found.id, store=store)
    sentence = f"restored the plant {found.id}, {found.name!r}, in {store}"
    record = {"store": store, "id": found.id, "name": found.name, "tag": found.tag}
    print_change(sentence, record, as_json=as_json, quiet=quiet)
