"""``plantstore event``: list."""

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime

import click
from msgspec.structs import replace

from plantstore.bootstrap import open_existing
from plantstore.cli.options import database_option, json_option
from plantstore.cli.output import format_time, print_json_line, print_records, print_row
from plantstore.clock import now
from plantstore.model import Event
from plantstore.sql.administration import Administration
from plantstore.sql.history import EventQuery

_COLUMNS = ("revision", "at", "kind", "id", "name", "tag", "user", "token_label", "token_id")
_AGO = re.compile("([1-9][0-9]{0,5})([mhdw])")
_UNIT_MS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_FOLLOW_SECONDS = 1.0


@click.group()
def event() -> None:
    """Show what happened to the plants of a store."""


def _read_since(_context: click.Context, _option: click.Parameter, text: str | None) -> int | None:
    """The Unix time in milliseconds that an age or a date says."""
    if text is None:
        return None
    if ago := _AGO.fullmatch(text):
        return now() - int(ago[1]) * _UNIT_MS[ago[2]]
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            "write an age such as 24h, or a date such as 2030-01-31 or 2030-01-31T08:00:00Z"
        ) from None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


@event.command("list")
@click.option("--store", required=True, help="Name of the store.")
@click.option("--plant", "plant_id", type=int, metavar="ID", help="Only events of this plant.")
@click.option("--user", "subject", help="Only what this user did.")
@click.option(
    "--since",
    metavar="TIME",
    callback=_read_since,
    help="Only events since a date (UTC), such as 2030-01-31, or an age, in m, h, d or w.",
)
@click.option("--follow", is_flag=True, help="Go on with new events until interrupted.")
@database_option
@json_option
def list_events(
    store: str,
    plant_id: int | None,
    subject: str | None,
    since: int | None,
    database: str,
    *,
    follow: bool,
    as_json: bool,
) -> None:
    """List the changes to a store's plants: what, when, and who with which token.

    With --follow each event is one line: tab-separated, or with --json an object.

    \b
    Examples:
      plantstore event list --store nursery --plant 7 --since 2d
      plantstore event list --store nursery --user ada --json
    """
    query = EventQuery(plant_id=plant_id, subject=subject, since=since)
    with closing(open_existing(database)) as administration:
        if not follow:
            records = map(_describe, administration.list_events(store, query))
            print_records(records, _COLUMNS, as_json=as_json)
            return
        for record in _follow(administration, store, query):
            if as_json:
                print_json_line(record)
            else:
                print_row(record, _COLUMNS)


def _follow(
    administration: Administration, store: str, query: EventQuery
) -> Iterator[Mapping[str, object]]:
    while True:
        for found in administration.list_events(store, query):
            query = replace(query, after=found.revision)
            yield _describe(found)
        time.sleep(_FOLLOW_SECONDS)


def _describe(found: Event) -> dict[str, object]:
    return {
        "revision": found.revision,
        "at": format_time(found.at),
        "kind": found.kind,
        "id": found.plant.id,
        "name": found.plant.name,
        "tag": found.plant.tag,
        "user": found.subject,
        "token_label": found.token_label,
        "token_id": found.token_id or None,
    }
