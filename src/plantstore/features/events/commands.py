"""``plantstore event``: list and undo. ``plantstore plant``: restore."""

import heapq
import time
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import click

from plantstore.cli.administration_log import changing
from plantstore.cli.durations import read_since
from plantstore.cli.options import (
    change_options,
    read_options,
    store_option,
    user_option,
    yes_option,
)
from plantstore.cli.output import Output, format_time
from plantstore.cli.plant_changes import change_plants
from plantstore.core.database import Row
from plantstore.core.model import PLANT_FIELDS
from plantstore.features.events.restoring import restore_plants
from plantstore.features.events.undoing import find_undo
from plantstore.sql.administration.records import list_stores, require_store, require_user
from plantstore.sql.session import Session

_COLUMNS = ("revision", "at", "kind", *PLANT_FIELDS, "user", "token_label", "token_id")
_FOLLOW_SECONDS = 1.0
_PAGE_ROWS = 1000
_COMMAND_LINE = 0  # instead of a user's number


@click.group()
def event() -> None:
    """Show, or take back, what happened to the plants of a store."""


@event.command("list")
@store_option("Name of the store; else events of all stores, by their time.")
@click.option("--plant", "plant_id", type=int, metavar="ID", help="Only events of this plant.")
@user_option("Only what this user did.")
@click.option(
    "--since",
    metavar="TIME",
    callback=read_since,
    help="Only events since a date (UTC), such as 2030-01-31, or an age, in m, h, d or w.",
)
@click.option("--follow", is_flag=True, help="Go on with new events until interrupted.")
@read_options
def list_events(
    session: Session,
    store: str | None,
    plant_id: int | None,
    user: str | None,
    since: int | None,
    output: Output,
    *,
    follow: bool,
) -> None:
    """List the changes to stores' plants: what, when, and who with which token.

    With --follow each event is one line: tab-separated, or with --json an object.

    \b
    Examples:
      plantstore event list --store nursery --plant 7 --since 2d
      plantstore event list --user ada --json
    """
    filters = (plant_id, user, since)
    if not follow:
        stores = [store] if store else [found.name for found in list_stores(session)]
        events = (_read_events(session, name, 0, filters) for name in stores)
        in_order = heapq.merge(*events, key=itemgetter("at"))
        output.print_records(in_order, _COLUMNS if store else ("store", *_COLUMNS))
        return
    if store is None:
        raise click.UsageError("name the store to follow with --store")
    last = 0
    while True:
        for record in _read_events(session, store, last, filters):
            output.print_line(record, _COLUMNS)
            last = record["revision"]
        time.sleep(_FOLLOW_SECONDS)


@event.command()
@store_option("Name of the store.", required=True)
@user_option("Who did what is taken back.", required=True)
@click.option(
    "--since",
    metavar="TIME",
    required=True,
    callback=read_since,
    help="Since a time of day (UTC), such as 14:00, a date, or an age, in m, h, d or w.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would change.")
@yes_option("Skip the confirmation prompt.")
@read_options
def undo(
    session: Session,
    store: str,
    user: str,
    since: int,
    output: Output,
    *,
    dry_run: bool,
    yes: bool,
) -> None:
    """Take back what a user did to the plants of a store, except what others changed later.

    \b
    Examples:
      plantstore event undo --store nursery --user eve --since 14:00 --dry-run
    """
    ours = require_store(session, store)
    wanted, skipped = find_undo(session, ours, require_user(session, user), since)
    change_plants(
        session,
        ours,
        lambda: wanted,
        output,
        command="event undo",
        dry_run=dry_run,
        yes=yes,
        skipped=skipped,
    )


def _read_events(
    session: Session, store: str, after: int, filters: tuple[object, ...]
) -> Iterator[Mapping[str, Any]]:
    """The store's events that pass the filters, by revision; read in pages."""
    store_id = require_store(session, store).store_id
    while True:
        rows = session.query("list_events", store_id, after, *filters, _PAGE_ROWS)
        yield from ({"store": store, **_describe(row)} for row in rows)
        if len(rows) < _PAGE_ROWS:
            return
        after = rows[-1][0]


def _describe(row: Row) -> Mapping[str, Any]:
    revision, kind, *plant, at, subject, label, token_id, user_id = row
    return {
        "revision": revision,
        "at": format_time(at),
        "kind": kind,
        **dict(zip(PLANT_FIELDS, plant, strict=True)),
        "user": "deleted user" if subject is None and user_id != _COMMAND_LINE else subject,
        "token_label": label,
        "token_id": token_id or None,
    }


@click.group()
def plant() -> None:
    """Manage single plants."""


@plant.command(context_settings={"ignore_unknown_options": True})  # ids may be negative
@click.argument("ids", metavar="ID...", type=int, nargs=-1, required=True)
@store_option("Name of the store.", required=True)
@change_options
def restore(session: Session, ids: Sequence[int], store: str, output: Output) -> None:
    """Restore the plants with these IDS as they were when they were deleted; all or none.

    \b
    Example:
      plantstore plant restore --store nursery 7 9
    """
    with changing(session, "plant restore", plants=len(ids), store=store):
        restored = restore_plants(session, require_store(session, store), ids)
    names = ", ".join(f"{plant.id} {plant.name!r}" for plant in restored)
    output.report_change({"store": store, "plants": restored}, f"restored in {store}: {names}")
