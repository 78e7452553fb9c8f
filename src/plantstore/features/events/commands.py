"""``plantstore event``: list, in a database or behind a service, and undo."""

import heapq
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from itertools import repeat, starmap
from typing import TYPE_CHECKING, Any

import click

from plantstore.cli.options import (
    PLANT_ID,
    output_options,
    session_options,
    since_option,
    store_option,
    user_option,
    yes_option,
)
from plantstore.cli.output import Output, format_time
from plantstore.cli.plant_changes import change_plants
from plantstore.cli.stores import pass_store
from plantstore.core.database import Row
from plantstore.core.model import PLANT_FIELDS
from plantstore.features.events.undoing import PAGE_ROWS, Filters, find_undo, read_events
from plantstore.sql.administration.records import list_stores, require_store, require_user
from plantstore.sql.session import Queries, Session

if TYPE_CHECKING:
    from plantstore_client import PlantStore

_COLUMNS = ("revision", "at", "kind", *PLANT_FIELDS, "user", "token_label", "token_id")
_AT = 2 + len(PLANT_FIELDS)  # in a row of ``list_events``
_FOLLOW_SECONDS = 1.0
_MAX_ROWS = 100_000  # of all stores in memory, unless there are many thousands of stores
_COMMAND_LINE = 0  # instead of a user's number

Record = Mapping[str, Any]
# Of one store or of all: what yields the events after a revision, filtered, and what returns the
# store's newest revision, None for all stores.
Events = tuple[Callable[[int, Filters], Iterator[Record]], Callable[[], int] | None]


def _in_database(session: Queries, store: str | None) -> Events:
    """The events of a store, or of all stores by time, read in pages."""

    def read(after: int, filters: Filters) -> Iterator[Record]:
        if (user := filters[1]) is not None:
            require_user(session, user)
        stores = list_stores(session) if store is None else [require_store(session, store)]
        page_rows = max(10, min(PAGE_ROWS, _MAX_ROWS // max(1, len(stores))))
        events = (
            zip(repeat(it.name), read_events(session, it, after, filters, page_rows))
            for it in stores
        )
        merged = heapq.merge(*events, key=lambda event: event[1][_AT])
        return starmap(_describe, merged)

    if store is None:
        return read, None
    return read, lambda: require_store(session, store).revision


def _behind(client: "PlantStore", address: str) -> Events:
    """Events of a store behind a service; only owners see who made the changes."""

    def read(after: int, filters: Filters) -> Iterator[Record]:
        plant_id, user, since = filters
        for event in client.events(after=after or None):
            at = int(datetime.fromisoformat(event.at).timestamp() * 1000)
            is_wanted = plant_id in (None, event.plant.id) and user in (None, event.user)
            if is_wanted and at >= (since or 0):
                plant = [getattr(event.plant, field) for field in PLANT_FIELDS]
                by = (event.user, event.token_label, event.token_id, _COMMAND_LINE)
                yield _describe(address, (event.revision, event.kind, *plant, at, *by))

    return read, client.revision


def _describe(store: str, row: Row) -> Mapping[str, Any]:
    revision, kind, *plant, at, subject, label, token_id, user_id = row
    return {
        "store": store,
        "revision": revision,
        "at": format_time(at),
        "kind": kind,
        **dict(zip(PLANT_FIELDS, plant, strict=True)),
        "user": "deleted user" if subject is None and user_id != _COMMAND_LINE else subject,
        "token_label": label,
        "token_id": token_id or None,
    }


@click.group()
def event() -> None:
    """List or undo changes to the plants of a store."""


@event.command("list")
@click.option("--plant", "plant_id", type=PLANT_ID, metavar="ID", help="Only events of this plant.")
@user_option(help="Only changes by this user.")
@since_option(
    help="Only events since a date (UTC), such as 2030-01-31, or an age, in m, h, d or w."
)
@click.option("--follow", is_flag=True, help="Keep printing new events until interrupted.")
@pass_store(
    _in_database,
    _behind,
    "Name of the store; else events of all, by their time.",
    required=False,
    reads=True,
)
@output_options
def list_events(
    store: Events,
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
    (read, find_revision), filters = store, (plant_id, user, since)
    if not follow:
        columns = _COLUMNS if find_revision else ("store", *_COLUMNS)
        output.print_records(read(0, filters), columns)
        return
    if find_revision is None:
        raise click.UsageError("name the store to follow with --store")
    last = 0
    while True:
        newest = find_revision()
        for record in read(last, filters) if newest > last else ():
            output.print_line(record, _COLUMNS)
            newest = max(newest, record["revision"])
        last = max(last, newest)
        time.sleep(_FOLLOW_SECONDS)


@event.command()
@store_option(help="Name of the store.", required=True)
@user_option(help="User whose changes are undone.", required=True)
@since_option(
    help="Since a time of day (UTC), such as 14:00, a date, or an age, in m, h, d or w.",
    required=True,
)
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@yes_option(help="Skip the confirmation prompt.")
@session_options
def undo(session: Session, store: str, user: str, since: int, output: Output, **how: bool) -> None:
    """Undo a user's changes to the plants of a store, except plants that others changed later.

    \b
    Examples:
      plantstore event undo --store nursery --user eve --since 14:00 --dry-run
    """
    ours = require_store(session, store)
    find = partial(find_undo, session, ours, require_user(session, user), since)
    began = format_time(since)
    output.note(f"undoing changes by {user} since {began}")
    change_plants(session, ours, find, output, command="event undo", user=user, since=began, **how)
