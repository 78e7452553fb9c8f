"""``plantstore migrate`` and ``check``."""

from collections.abc import Iterator

import click

from plantstore import databases
from plantstore.cli.administration_log import note_in_database
from plantstore.cli.options import database_options, sources_options, yes_option
from plantstore.cli.output import Output
from plantstore.core.errors import SetupError
from plantstore.core.sources import Sources
from plantstore.features import load_parts
from plantstore.program.loading import load_settings
from plantstore.sql.checks import Check
from plantstore.version import VERSION


@click.command()
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@yes_option(help="Migrate even while older programs run; their writes then fail.")
@database_options
def migrate(database: str, output: Output, *, dry_run: bool, yes: bool) -> None:
    """Migrate the database to this program's schema; a missing SQLite file is created.

    A migration that older programs cannot work with is refused while a program has the SQLite file
    open, or an older one is connected to PostgreSQL; --dry-run names such migrations.

    \b
    Example:
      plantstore migrate --dry-run
    """
    if dry_run:
        created, migrations = None, databases.find_missing(database)
    else:
        created = databases.create_database(database)
        if migrations := databases.migrate(database, stops_older=yes):
            note_in_database(database, "migrate", migrations=len(migrations))
    if created:
        output.note(f"created the database {created}")
    effects = {True: "stop older programs first", False: "older programs keep working"}
    lines = [
        f"would apply {it.title}; {effects[it.stops_older]}" if dry_run else f"applied {it.title}"
        for it in migrations
    ]
    applied = [
        {"number": it.number, "name": it.name, "compatible": not it.stops_older}
        for it in migrations
    ]
    record = {"dry_run": dry_run, "created": created, "migrations": applied}
    if output.as_json or not output.quiet:
        output.print(record, "\n".join(lines) or "the schema is up to date")


@click.command()
@sources_options
def check(sources: Sources, output: Output) -> None:
    """Check the settings, and that the database is intact and accepts writes; change nothing.

    The exit status is 1 if a check fails. Run it as the service's user.

    \b
    Example:
      plantstore --database sqlite:///plants.db check
    """
    checks = []
    for result in _run_checks(sources):
        checks.append(result)
        if not (output.as_json or (output.quiet and result.ok)):
            click.echo(f"{'ok' if result.ok else 'Error'}: {result.detail}", err=not result.ok)
    ok = all(result.ok for result in checks)
    output.report({"ok": ok, "checks": checks, "version": VERSION})
    if not ok:
        raise click.exceptions.Exit(1)


def _run_checks(sources: Sources) -> Iterator[Check]:
    """Run the checks in turn, until one fails that the next ones need."""
    name = "settings"
    try:
        settings = load_settings(sources)
        yield Check(name, ok=True, detail="the settings are valid")
        name = "database"
        are_ok = True
        for result in databases.check_database(settings.database):
            are_ok &= result.ok
            yield result
        for check_feature in load_parts("checks") if are_ok else ():
            yield from check_feature(settings)
    except SetupError as error:
        yield Check(name, ok=False, detail=str(error))
