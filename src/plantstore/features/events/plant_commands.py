"""``plantstore plant``: restore."""

import click
from msgspec.structs import asdict

from plantstore.cli.administration_log import changing
from plantstore.cli.options import change_options, store_option
from plantstore.cli.output import Output
from plantstore.features.events.restoring import restore_plant
from plantstore.sql.administration.records import require_store
from plantstore.sql.session import Session


@click.group()
def plant() -> None:
    """Manage single plants."""


@plant.command(context_settings={"ignore_unknown_options": True})  # ids may be negative
@click.argument("id", type=int)
@store_option("Name of the store.", required=True)
@change_options
def restore(session: Session, id: int, store: str, output: Output) -> None:  # noqa: A002 - the argument's name
    """Bring back the plant ID, as it was when it was deleted.

    \b
    Example:
      plantstore plant restore --store nursery 7
    """
    with changing(session, "plant restore", plant_id=id, store=store):
        found = restore_plant(session, require_store(session, store), id)
    sentence = f"restored the plant {found.id}, {found.name!r}, in {store}"
    output.report_change({"store": store, **asdict(found)}, sentence)
