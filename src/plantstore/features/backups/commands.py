"""``plantstore backup``, ``restore`` and ``verify``."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import click
from msgspec.structs import asdict

from plantstore.cli.administration_log import note_in_database
from plantstore.cli.confirmation import confirm
from plantstore.cli.options import PLANT_ID, WholeNumber, database_options, store_option, yes_option
from plantstore.cli.output import Output
from plantstore.cli.workspace import end_cleanly
from plantstore.core.errors import SetupError
from plantstore.databases import check_database, find_file, open_session, require_database
from plantstore.features.backups.backup import back_up, remove_older
from plantstore.features.backups.one_store import open_backup, restore_store
from plantstore.features.backups.restore import Restored, renew_revisions
from plantstore.features.backups.restore import restore as replace_database
from plantstore.features.backups.verifying import repair as repair_database
from plantstore.features.backups.verifying import verify as verify_database


@click.command()
@click.argument("target", required=False)
@click.option("--verify", "verifies", is_flag=True, help="Verify the backup as `verify` does.")
@click.option(
    "--record",
    "records",
    is_flag=True,
    help="Record in the database that there is a backup, for `status`, `check` and metrics.",
)
@click.option(
    "--keep",
    type=WholeNumber(1),
    metavar="N",
    help="Remove all but the newest N backups from the folder.",
)
@database_options
def backup(
    target: str | None,
    keep: int | None,
    database: str,
    output: Output,
    *,
    verifies: bool,
    records: bool,
) -> None:
    """Back up a SQLite database to TARGET, also while the service runs.

    TARGET is a file, which is replaced if it is a backup; or an existing folder, where the backup
    gets a name with the time (UTC), such as plants-20301231T235959.123Z.db; or - for stdout. The
    backup is a snapshot of the database, and is verified before it gets its name.

    Without TARGET, --record records a backup that another program has made, such as pg_dump; with
    --verify, a backup that you have restored and verified.

    \b
    Examples:
      plantstore backup plants.backup
      plantstore backup backups/ --keep 14
      plantstore backup - | gzip > plants.backup.gz
    """
    if target is None:
        if not records or keep is not None:
            raise click.UsageError("give the TARGET of the backup")
        _record(database, verifies=verifies)
        output.report({"recorded": True}, "recorded that there is a backup")
        return
    if keep is not None and (target == "-" or Path(target).is_file()):
        raise click.UsageError(f"--keep is for a folder of backups: {target} is none")
    if target == "-" and verifies:
        raise click.UsageError("a backup on stdout cannot be verified: give a file")
    if target == "-" and (output.as_json or sys.stdout.isatty()):
        raise click.UsageError("the backup goes to stdout: not to a terminal, nor with --json")
    require_database(database)
    file = _require_sqlite(database, "back it up with pg_dump, or its WAL for any point in time")
    end_cleanly()
    made = back_up(file, target, in_folder=keep is not None)
    path = Path(made.file or "")
    if verifies and not verify_database(f"sqlite:///{path.absolute()}").ok:
        advice = f"run `plantstore --database sqlite:///{path} verify`"
        raise SetupError(f"the backup {path} is inconsistent, older ones were kept: {advice}")
    removed = [] if keep is None else remove_older(path, file.stem, keep)
    if records:
        _record(database, verifies=verifies)
    contents = f"stores: {made.stores}, plants: {made.plants}"
    sentences = [f"backed up to {made.file or 'stdout'}: {contents}"]
    sentences += [f"removed {older}" for older in removed]
    output.report({**asdict(made), "removed": removed}, *sentences)


def _record(database: str, *, verifies: bool) -> None:
    note_in_database(database, "backup")
    if verifies:
        note_in_database(database, "backup verify")


def _require_sqlite(database: str, advice: str) -> Path:
    if (file := find_file(database)) is None:
        where = 'see "PostgreSQL" in docs/backup.md'
        raise SetupError(f"the database is on PostgreSQL: {advice}; {where}")
    return file


def _read_ids(context: click.Context, option: click.Parameter, text: str | None) -> Sequence[int]:
    return [] if text is None else [PLANT_ID(it, option, context) for it in text.split(",")]


@click.command()
@click.argument("backup", required=False)
@click.option(
    "--in-place",
    is_flag=True,
    help="Finish a restore of the database that another program has made, such as pg_restore.",
)
@store_option(help="Restore only this store; the service may run.")
@click.option(
    "--plants", metavar="ID,ID", callback=_read_ids, help="Restore only these plants of the store."
)
@click.option("--dry-run", is_flag=True, help="Only show what would change in the store.")
@yes_option(help="Skip the confirmation prompt.")
@database_options
def restore(
    backup: str | None,
    database: str,
    output: Output,
    *,
    in_place: bool,
    store: str | None,
    plants: Sequence[int],
    dry_run: bool,
    yes: bool,
) -> None:
    """Replace a SQLite database by the file BACKUP, while no service uses it.

    With --store, only the plants of one store are restored, into a SQLite or PostgreSQL database
    that may be in use. Members, tokens and quotas do not change. BACKUP may then be the URL of a
    database, such as one that pg_restore has filled.

    BACKUP may come from `plantstore backup`, Litestream or SQLite, may have an older schema, and is
    not changed. It is verified first. The old database is kept, under a name with the time. Access
    that was revoked in it since the backup stays revoked. All stores get new revisions, so that no
    client takes an old list for the restored one.

    \b
    Examples:
      plantstore restore plants-20301231T235959.123Z.db
      plantstore restore plants-20301231T235959.123Z.db --store nursery --dry-run
      plantstore restore --in-place
    """
    if (backup is None) != in_place:
        raise click.UsageError("give either a backup or --in-place")
    if (in_place and store is not None) or (store is None and (plants or dry_run)):
        raise click.UsageError("--plants and --dry-run need a backup and --store")
    if backup is None:
        _finish_restore(database, output)
    elif store is None:
        _replace(backup, database, output, yes=yes)
    else:
        with closing(open_session(database)) as session, open_backup(backup) as source:
            restore_store(session, source, store, plants, output, dry_run=dry_run, yes=yes)


def _replace(backup: str, database: str, output: Output, *, yes: bool) -> None:
    advice = "restore it with pg_restore, then run `plantstore restore --in-place`"
    file = _require_sqlite(database, advice)
    if file.exists() and Path(backup).exists() and not yes:
        confirm(f"Replace {database.removeprefix('sqlite:///')} by {backup}?", "restore")
    end_cleanly()
    restored = replace_database(Path(backup).absolute(), file)
    note_in_database(database, "restore", backup=backup, kept=restored.kept, plants=restored.plants)
    output.report(restored, *_describe_restored(restored))


def _finish_restore(database: str, output: Output) -> None:
    for check in check_database(database):
        if not check.ok:
            raise SetupError(check.detail)
    with closing(open_session(database)) as session:
        stores = renew_revisions(session)
    note_in_database(database, "restore", stores=stores)
    output.report({"stores": stores}, f"gave new revisions to all stores: {stores}")


def _describe_restored(restored: Restored) -> Iterator[str]:
    yield f"restored {restored.database}: stores: {restored.stores}, plants: {restored.plants}"
    revoked = restored.revocations
    if restored.kept:
        yield f"the database that was there is now {restored.kept}"
        if revoked is None:
            yield (
                "it cannot be read: tokens and members that were removed since the backup have "
                "access again; remove them before you start the service"
            )
    if revoked and (revoked.tokens or revoked.members):
        counts = f"tokens: {revoked.tokens}, members: {revoked.members}"
        yield f"re-applied revocations made after the backup: {counts}"
    if revoked and revoked.users:
        yield f"users deleted after the backup are back, without tokens: {', '.join(revoked.users)}"
    if restored.migrations:
        numbers = ", ".join(map(str, restored.migrations))
        yield f"applied to the restored database: migrations {numbers}"


@click.command()
@click.option(
    "--repair",
    is_flag=True,
    help="Correct the counts of plants, and give those stores new revisions.",
)
@database_options
def verify(database: str, output: Output, *, repair: bool) -> None:
    """Verify that the database is consistent: counts, plants and events.

    It reads a snapshot of everything, and changes nothing without --repair. You can verify a
    backup, or a database in use. The exit status is 1 if something is inconsistent.

    \b
    Example:
      plantstore --database sqlite:///plants-20301231T235959.123Z.db verify
    """
    result = verify_database(database)
    if repair and not result.ok:
        result, mended = repair_database(database)
        for mismatch in mended:
            output.note(f"mended: {mismatch.sentence}")
    if result.ok:
        counts = f"stores: {result.stores}, plants: {result.plants}, events: {result.events}"
        output.print(result, f"ok: {counts}")
        return
    mismatches = [mismatch.sentence for mismatch in result.mismatches]
    more = ["there are more errors"] if result.more else []
    output.report(result)
    for sentence in () if output.as_json else (*mismatches, *more):
        click.echo(f"Error: {sentence}", err=True)
    raise click.exceptions.Exit(1)
