"""``plantstore event``: list."""

import time
from collections.abc import Iterator, Mapping

import click
from msgspec.structs import asdict, replace

from plantstore.cli.durations import read_since
from plantstore.cli.options import read_options, store_option, user_option
from plantstore.cli.output import Output, format_time
from plantstore.core.model import PLANT_FIELDS
from plantstore.features.events import reading
from plantstore.features.events.reading import Event, EventQuery
from plantstore.sql.administration.records import require_store
from plantstore.sql.session import Session

_COLUMNS = ("revision", "at", "kind", *PLANT_FIELDS, "user", "token_label", "token_id")
_FOLLOW_SECONDS = 1.0
_DELETED = "deleted user"


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
    callback=read_since,
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
    query = EventQuery(plant_id=plant_id, subject=user, since=since)
    if not follow:
        found = reading.list_events(session, require_store(session, store), query)
        output.print_records(map(_describe, found), _COLUMNS)
        return
    for record in _follow(session, store, query):
        output.print_line(record, _COLUMNS)


def _follow(session: Session, store: str, query: EventQuery) -> Iterator[Mapping[str, object]]:
    while True:
        for found in reading.list_events(session, require_store(session, store), query):
            query = replace(query, after=found.revision)
            yield _describe(found)
        time.sleep(_FOLLOW_SECONDS)


def _describe(found: Event) -> dict[str, object]:
    return {
        "revision": found.revision,
        "at": format_time(found.at),
        "kind": found.kind,
        **asdict(found.plant),
        "user": _DELETED if found.is_user_deleted else found.subject,
        "token_label": found.token_label,
        "token_id": found.token_id or None,
    }
