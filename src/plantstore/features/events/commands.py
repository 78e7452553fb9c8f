"""``plantstore event``: list. ``plantstore plant``: restore."""

import time
from collections.abc import Iterator, Mapping
from typing import Any

import click
from msgspec.structs import asdict

from plantstore.cli.administration_log import changing
from plantstore.cli.durations import read_moment
from plantstore.cli.options import change_options, read_options, store_option, user_option
from plantstore.cli.output import Output, format_time
from plantstore.core.database import Row
from plantstore.core.model import PLANT_FIELDS
from plantstore.features.events.restoring import restore_plant
from plantstore.sql.administration.records import require_store
from plantstore.sql.session import Session

_COLUMNS = ("revision", "at", "kind", *PLANT_FIELDS, "user", "token_label", "token_id")
_FOLLOW_SECONDS = 1.0
_PAGE_ROWS = 1000
_COMMAND_LINE = 0  # instead of a user's number


def _read_since(_context: click.Context, _option: click.Parameter, text: str | None) -> int | None:
    """The moment of a date, or of an age."""
    if text is None:
        return None
    allowed = "an age such as 24h, or a date such as 2030-01-31 or 2030-01-31T08:00:00Z"
    return read_moment(text, -1, allowed)


@click.group()
def event() -> None:
    """Show what happened to the plants of a store."""


@event.command("list")
@store_option("Name of the store.", required=True)
@click.option("--plant", "plant_id", type=int, metavar="ID", help="Only events of this plant.")
@user_option("Only what this user did.")
@click.option(
    "--since",
    metavar="TIME",
    callback=_read_since,
    help="Only events since a date (UTC), such as 2030-01-31, or an age, in m, h, d or w.",
)
@click.option("--follow", is_flag=True, help="Go on with new events until interrupted.")
@read_options
def list_events(
    session: Session,
    store: str,
    plant_id: int | None,
    user: str | None,
    since: int | None,
    output: Output,
    *,
    follow: bool,
) -> None:
    """List the changes to a store's plants: what, when, and who with which token.

    With --follow each event is one line: tab-separated, or with --json an object.

    \b
    Examples:
      plantstore event list --store nursery --plant 7 --since 2d
      plantstore event list --store nursery --user ada --json
    """
    filters = (plant_id, user, since)
    if not follow:
        output.print_records(_read_events(session, store, 0, filters), _COLUMNS)
        return
    last = 0
    while True:
        for record in _read_events(session, store, last, filters):
            output.print_line(record, _COLUMNS)
            last = record["revision"]
        time.sleep(_FOLLOW_SECONDS)


def _read_events(
    session: Session, store: str, after: int, filters: tuple[object, ...]
) -> Iterator[Mapping[str, Any]]:
    """The store's events that pass the filters, by revision; read in pages."""
    store_id = require_store(session, store).store_id
    while True:
        rows = session.query("list_events", store_id, after, *filters, _PAGE_ROWS)
        yield from map(_describe, rows)
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
        restored = restore_plant(session, require_store(session, store), id)
    sentence = f"restored the plant {restored.id}, {restored.name!r}, in {store}"
    output.report_change({"store": store, **asdict(restored)}, sentence)
