"""``plantstore backup``."""

import sys
import time
from typing import TYPE_CHECKING

import click
from msgspec.structs import asdict

from plantstore import keeping
from plantstore.cli.options import database_option, json_option, quiet_option
from plantstore.cli.output import format_bytes, print_json
from plantstore.cli.signals import end_cleanly

if TYPE_CHECKING:
    from plantstore.sqlite.backup import Backup


@click.command()
@click.argument("target")
@click.option(
    "--keep",
    type=click.IntRange(1),
    metavar="N",
    help="Remove all but the newest N backups from the folder.",
)
@database_option
@json_option
@quiet_option
def backup(target: str, keep: int | None, database: str, *, as_json: bool, quiet: bool) -> None:
    """Back up a SQLite database to TARGET, also while the service runs.

    TARGET is a file, which is replaced if it exists; or an existing folder, in which the backup is
    named by the time (UTC), such as plants-20301231T235959.123Z.db; or - for stdout. The backup is
    the database's state at one moment, and is verified before it gets its name.

    \b
    Examples:
      plantstore backup plants.backup
      plantstore backup backups/ --keep 14
      plantstore backup - | gzip > plants.backup.gz
    """
    if target == "-" and (as_json or sys.stdout.isatty()):
        raise click.UsageError("the backup goes to stdout: not to a terminal, nor with --json")
    end_cleanly()
    began = time.monotonic()
    made = keeping.back_up(database, target, keep)
    seconds = round(time.monotonic() - began, 3)
    if as_json:
        print_json(asdict(made) | {"seconds": seconds})
    elif not quiet:
        click.echo(f"{_describe(made)}, {seconds:.1f} s", err=True)
        for removed in made.removed:
            click.echo(f"removed {removed}", err=True)


def _describe(made: "Backup") -> str:
    contents = f"stores: {made.stores}, plants: {made.plants}, {format_bytes(made.bytes)}"
    return f"backed up to {made.file or 'stdout'}: {contents}"
