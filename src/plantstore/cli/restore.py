"""``plantstore restore``."""

import time
from typing import TYPE_CHECKING

import click

from plantstore import keeping
from plantstore.cli.administration_log import log_change
from plantstore.cli.confirmation import confirm_restore
from plantstore.cli.options import database_option, json_option
from plantstore.cli.output import format_bytes, print_json
from plantstore.cli.signals import end_cleanly
from plantstore.settings import without_password

if TYPE_CHECKING:
    from plantstore.sqlite.restore import Restored
    from plantstore.sqlite.revocations import Revocations


@click.command()
@click.argument("backup", required=False)
@click.option(
    "--in-place",
    is_flag=True,
    help="Finish a restore of the database that another program has made, such as pg_restore.",
)
@click.option("-y", "--yes", is_flag=True, help="Skip the confirmation prompt.")
@database_option
@json_option
def restore(backup: str | None, database: str, *, in_place: bool, yes: bool, as_json: bool) -> None:
    """Replace a SQLite database by the file BACKUP, while no service uses it.

    BACKUP may come from `plantstore backup`, Litestream or SQLite, may have an older schema, and
    stays as it is. It is verified first; the old database is kept, under a name with the time, and
    whoever lost access in it since the backup does not get it back. All stores get new revisions,
    so that no client takes an old list for the restored one.

    \b
    Examples:
      plantstore restore plants-20301231T235959.123Z.db
      plantstore restore --in-place
    """
    if (backup is None) != in_place:
        raise click.UsageError("give either a backup or --in-place")
    if backup is None:
        _finish(database, as_json=as_json)
        return
    if not yes and keeping.has_file(database):
        confirm_restore(f"Replace {database.removeprefix('sqlite:///')} by {backup}?")
    end_cleanly()
    began = time.monotonic()
    restored = keeping.restore(database, backup)
    seconds = round(time.monotonic() - began, 3)
    log_change("restore", database=database, backup=backup, kept=restored.kept)
    _report(restored, seconds, as_json=as_json)


def _finish(database: str, *, as_json: bool) -> None:
    stores = keeping.finish_restore(database)
    log_change("restore", database=without_password(database))
    if as_json:
        print_json({"stores": stores})
    else:
        click.echo(f"gave new revisions to all stores: {stores}", err=True)


def _report(restored: "Restored", seconds: float, *, as_json: bool) -> None:
    applied = [migration.number for migration in restored.migrations]
    if as_json:
        fields = ("database", "kept", "stores", "plants", "bytes")
        found = {name: getattr(restored, name) for name in fields}
        more = {"migrations": applied, "revocations": restored.revocations}
        print_json(found | more | {"seconds": seconds})
        return
    contents = f"stores: {restored.stores}, plants: {restored.plants}"
    size = format_bytes(restored.bytes)
    click.echo(f"restored {restored.database}: {contents}, {size}, {seconds:.1f} s", err=True)
    if restored.kept:
        click.echo(f"the database that was there is now {restored.kept}", err=True)
        _report_revocations(restored.revocations)
    if applied:
        numbers = ", ".join(map(str, applied))
        click.echo(f"applied to the restored database: migrations {numbers}", err=True)


def _report_revocations(found: "Revocations | None") -> None:
    if found is None:
        click.echo(
            "it cannot be read: tokens and members that were removed since the backup have access "
            "again; remove them before you start the service",
            err=True,
        )
        return
    if found.tokens or found.members:
        counts = f"tokens: {found.tokens}, members: {found.members}"
        click.echo(f"who lost access since the backup has none again: {counts}", err=True)
    if found.users:
        names = ", ".join(found.users)
        click.echo(f"deleted since the backup, and back without tokens: {names}", err=True)
