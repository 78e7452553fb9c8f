"""``plantstore store``: create, set, rename, show, list, delete."""

from contextlib import closing
from functools import partial

import click

from plantstore.cli.administration_log import changing, noting
from plantstore.cli.confirmation import require_name
from plantstore.cli.options import database_options, reading_options, session_options, yes_option
from plantstore.cli.output import Output, format_time
from plantstore.cli.sources import find_sources
from plantstore.core.clock import now
from plantstore.core.model import Role, Store
from plantstore.core.settings import Settings
from plantstore.databases import create_database, open_session
from plantstore.features.access.members import list_all_members
from plantstore.sql.administration import records
from plantstore.sql.session import Queries, Session

_PARTS = ("plants", "events", "keys")
_COLUMNS = ("name", "owners", "plants", "max_plants", "revision", "created_at")


@click.group()
def store() -> None:
    """Create, change, show and delete stores."""


def _read_quota(_context: click.Context, _option: click.Parameter, text: str | None) -> int | None:
    """The given quota, which has the bounds of the setting, or else the setting."""
    if text == "none":
        return None
    if text == "":
        raise click.BadParameter("write a whole number, or none")
    return find_sources(max_plants=text).read(Settings, "max_plants").max_plants


_quota_option = partial(click.option, "--max-plants", metavar="N|none", callback=_read_quota)


@store.command()
@click.argument("name")
@_quota_option(
    help="Maximum number of plants, or none for no limit; by default the setting max_plants.",
)
@database_options
def create(name: str, max_plants: int | None, database: str, output: Output) -> None:
    """Create a store, and its database if that is missing.

    \b
    Example:
      plantstore store create nursery
    """
    if created := create_database(database):
        output.note(f"created the database {created}")
    with closing(open_session(database)) as session, changing(session, "store create", store=name):
        made = records.insert_store(session, name, max_plants)
    output.print(_describe(made), name)


@store.command("set")
@click.argument("name")
@_quota_option(
    required=True, help="Maximum number of plants, or none for no limit; existing plants stay."
)
@session_options
def set_store(session: Session, name: str, max_plants: int | None, output: Output) -> None:
    """Change a store's quota.

    \b
    Example:
      plantstore store set nursery --max-plants 100000
    """
    with noting(session) as note:
        store = records.require_store(session, name)
        if store.max_plants != max_plants:
            session.query("set_max_plants", store.store_id, max_plants)
            note("store set", max_plants=max_plants or "none", store=name)
    bound = "any number of plants" if max_plants is None else f"at most {max_plants} plants"
    record = _describe(store) | {"max_plants": max_plants}
    output.report(record, f"{name} may hold {bound}; it holds {store.plants}")


@store.command()
@click.argument("name")
@click.argument("new_name")
@session_options
def rename(session: Session, name: str, new_name: str, output: Output) -> None:
    """Rename a store to NEW_NAME. Its path changes; its tokens stay valid.

    \b
    Example:
      plantstore store rename nursery orchard
    """
    with changing(session, "store rename", store=name, new_name=new_name):
        renamed = records.require_store(session, name)
        records.require_free_store_name(session, new_name)
        session.query("rename_store", renamed.store_id, new_name)
    sentence = f"renamed the store {name} to {new_name}: its path is /stores/{new_name}/plants"
    output.report({"name": new_name, "old_name": name}, sentence)


@store.command()
@click.argument("name")
@reading_options
def show(session: Queries, name: str, output: Output) -> None:
    """Show a store: its plants, quota, members, valid tokens, size and last change.

    The size, in bytes, is that of its plants and events, without indexes and free space.

    \b
    Example:
      plantstore store show nursery
    """
    shown = records.require_store(session, name)
    ((members, tokens, size, changed_at),) = session.query("describe_store", shown.store_id, now())
    sizes = {"bytes": size, "members": members, "tokens": tokens}
    output.print_record({**_describe(shown), "changed_at": format_time(changed_at), **sizes})


@store.command("list")
@reading_options
def list_stores(session: Queries, output: Output) -> None:
    """List all stores, with their owners.

    \b
    Example:
      plantstore store list --json
    """
    owners: dict[str, list[str]] = {}
    for store, subject, role in list_all_members(session):
        if role is Role.OWNER:
            owners.setdefault(store, []).append(subject)
    stores = records.list_stores(session)
    listed = (_describe(it) | {"owners": owners.get(it.name, [])} for it in stores)
    output.print_records(listed, _COLUMNS)


@store.command()
@click.argument("name")
@yes_option(help="Skip the confirmation prompt.")
@session_options
def delete(session: Session, name: str, output: Output, *, yes: bool) -> None:
    """Delete a store with all its plants, events, members and tokens.

    It asks for the store's name, unless --yes is given.

    \b
    Example:
      plantstore store delete nursery --yes
    """
    plants = records.require_store(session, name).plants
    warning = f"The store {name} and its {plants} plants will be deleted, permanently."
    require_name("store", name, warning, yes=yes)
    with changing(session, "store delete", store=name):
        store_id = close_store(session, name)
    delete_store(session, store_id)
    sentence = f"deleted the store {name} and its {plants} plants"
    output.report({"name": name, "plants": plants}, sentence)


def _describe(store: Store) -> dict[str, object]:
    return {
        "name": store.name,
        "plants": store.plants,
        "max_plants": store.max_plants,
        "revision": store.revision,
        "created_at": format_time(store.created_at),
    }


def close_store(session: Queries, name: str) -> int:
    """End all access to a store before its deletion; returns its number."""
    store = records.require_store(session, name)
    session.query("note_deleted_store", store.store_id, store.revision)
    session.query("delete_members_of_store", store.store_id)
    return store.store_id


def delete_store(session: Session, store_id: int) -> None:
    """Remove a closed store with its plants, events and tokens, in transactions of its own.

    It is deleted in parts, so that writes of other stores get their turn.
    """
    are_left = True
    while are_left:
        with session.transaction():
            are_left = _delete_rows(session, store_id)
    with session.transaction():
        while _delete_rows(session, store_id):  # the first query locks out other writes
            pass
        session.query("delete_store", store_id)


def _delete_rows(session: Queries, store_id: int) -> bool:
    """Delete some thousand rows of each table; returns whether there were any.

    The revision rises, because a deletion may be interrupted, and caches and entity tags depend on
    the revision.
    """
    deleted = [session.query(f"delete_{rows}_of_store", store_id) for rows in _PARTS]
    session.query("raise_revision", store_id, -len(deleted[0]))
    return any(deleted)
