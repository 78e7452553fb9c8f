"""``plantstore plant``: single plants, in a database or behind a service."""

import click
from msgspec.structs import asdict

from plantstore.cli.options import PLANT_ID, output_options
from plantstore.cli.output import Output
from plantstore.core.decoding import to_new_plant
from plantstore.core.errors import RequestError, SetupError
from plantstore.core.model import PLANT_FIELDS, NewPlant
from plantstore.features.transfer.stores import Store, reading_store, with_store
from plantstore.sql.changes import Change

_NEGATIVE_IDS = {"ignore_unknown_options": True}


@click.group()
def plant() -> None:
    """List and change single plants."""


@plant.command("list")
@click.option("--tag", help="Only plants with this tag.")
@reading_store
@output_options
def list_plants(store: Store, tag: str | None, output: Output) -> None:
    """List the plants of a store, by id.

    \b
    Examples:
      plantstore plant list --store nursery --tag tropical
      plantstore --url https://plants.example.org --token-file token plant list --json
    """
    output.print_records(map(asdict, store.list_plants(tag)), PLANT_FIELDS)


@plant.command(context_settings=_NEGATIVE_IDS)
@click.argument("id", type=PLANT_ID)
@click.argument("name")
@click.option("--tag", help="The type of the plant.")
@with_store
@output_options
def add(store: Store, id: int, name: str, tag: str | None, output: Output) -> None:  # noqa: A002 - the argument's name
    """Add the plant ID.

    \b
    Example:
      plantstore plant add --store nursery 7 "Monstera deliciosa" --tag tropical
    """
    added = _read({"id": id, "name": name, "tag": tag})
    _change(store, "add", [Change(None, added)], output, "added")


@plant.command(context_settings=_NEGATIVE_IDS)
@click.argument("id", type=PLANT_ID)
@click.option("--name", help="New name; by default unchanged.")
@click.option("--tag", help="New tag; by default unchanged.")
@click.option("--no-tag", is_flag=True, help="Remove the tag.")
@with_store
@output_options
def edit(store: Store, id: int, output: Output, *, no_tag: bool, **given: str | None) -> None:  # noqa: A002 - the argument's name
    """Change the name or the tag of the plant ID.

    \b
    Example:
      plantstore plant edit --store nursery 7 --name "Monstera adansonii"
    """
    new = {field: text for field, text in given.items() if text is not None}
    if not (new or no_tag) or (no_tag and "tag" in new):
        raise click.UsageError("give what to change: --name, --tag or --no-tag")
    before = _find(store, id)
    kept = {field: text for field, text in asdict(before).items() if field != "tag" or not no_tag}
    _change(store, "edit", [Change(before, _read(kept | new))], output, "changed")


@plant.command(context_settings=_NEGATIVE_IDS)
@click.argument("ids", type=PLANT_ID, nargs=-1, required=True)
@with_store
@output_options
def delete(store: Store, ids: tuple[int, ...], output: Output) -> None:
    """Delete the plants with these IDS, all or none; `plantstore plant restore` brings them back.

    \b
    Example:
      plantstore plant delete --store nursery 7 8
    """
    changes = [Change(_find(store, plant_id), None) for plant_id in dict.fromkeys(ids)]
    _change(store, "delete", changes, output, "deleted")


@plant.command(context_settings=_NEGATIVE_IDS)
@click.argument("ids", type=PLANT_ID, nargs=-1, required=True)
@with_store
@output_options
def restore(store: Store, ids: tuple[int, ...], output: Output) -> None:
    """Bring back the plants with these IDS, as they were when they were deleted; all or none.

    \b
    Example:
      plantstore plant restore --store nursery 7 9
    """
    changes = []
    for plant_id in dict.fromkeys(ids):
        if store.find(plant_id) is not None:
            raise SetupError(
                f"{store.name} has a plant with the id {plant_id}: leave it out, or delete it first"
            )
        if (deleted := store.find_deleted(plant_id)) is None:
            reason = "or longer ago than events are kept"
            raise SetupError(f"plant {plant_id} was not deleted from {store.name}, {reason}")
        changes.append(Change(None, deleted))
    _change(store, "restore", changes, output, "restored")


def _read(fields: dict[str, object]) -> NewPlant:
    try:
        return to_new_plant({name: value for name, value in fields.items() if value is not None})
    except RequestError as error:
        raise click.UsageError(str(error.details["reason"])) from None


def _find(store: Store, plant_id: int) -> NewPlant:
    if (plant := store.find(plant_id)) is None:
        raise SetupError(f"there is no plant with the id {plant_id} in {store.name}")
    return plant


def _change(store: Store, verb: str, changes: list[Change], output: Output, done: str) -> None:
    """Make all changes or none, and print the result or the reason."""
    refusals = store.write(f"plant {verb}", changes)
    if refused := [f"{it.message} ({it.error})" for it in refusals if it is not None]:
        raise SetupError("; ".join(refused))
    plants = [change.plant for change in changes]
    store.log(f"plant {verb}", plants=len(plants))
    names = ", ".join(f"{plant.id} {plant.name!r}" for plant in plants)
    record = {"store": store.name, "plants": [plant.id for plant in plants]}
    output.report(record, f"{done} in {store.name}: {names}")
