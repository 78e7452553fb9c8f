"""``plantstore migrate`` and ``check``."""

from collections.abc import Iterator

import click

from plantstore import databases
from plantstore.cli.administration_log import log_change
from plantstore.cli.options import (
    json_option,
    output_options,
    pass_database,
    pass_sources,
)
from plantstore.cli.output import Output
from plantstore.core.errors import SetupError
from plantstore.core.settings import without_password
from plantstore.core.sources import Sources
from plantstore.program.loading import load_settings
from plantstore.sql.checks import Check
from plantstore.version import VERSION


@click.command()
@click.option("--dry-run", is_flag=True, help="Only print what would be done.")
@pass_database
@output_options
def migrate(database: str, output: Output, *, dry_run: bool) -> None:
    """Migrate the database to this program's schema; a missing SQLite file is created.

    \b
    Example:
      plantstore migrate --dry-run
    """
    created = None if dry_run else databases.create_database(database)
    done = databases.migrate(database, dry_run=dry_run)
    if done and not dry_run:
        log_change("migrate", database=without_password(database), migrations=len(done))
    if created:
        output.note(f"created the database {created}")
    applied = [{"number": one.number, "name": one.name} for one in done]
    record = {"dry_run": dry_run, "created": created, "migrations": applied}
    verb = "would apply" if dry_run else "applied"
    lines = [f"{verb} migration {one.number} ({one.name})" for one in done]
    if output.as_json or not output.quiet:
        output.print(record, "\n".join(lines) or "the schema is up to date")


@click.command()
@pass_sources
@json_option
def check(sources: Sources, output: Output) -> None:
    """Check the settings, and that the database is intact and accepts writes; change nothing.

    The exit status is 1 if a check fails. Run it as the service's user.

    \b
    Example:
      plantstore --database sqlite:///plants.db check
    """
    checks = []
    for found in _run_checks(sources):
        checks.append(found)
        if not output.as_json:
            click.echo(f"{'ok' if found.ok else 'Error'}: {found.detail}", err=not found.ok)
    ok = all(found.ok for found in checks)
    output.report({"ok": ok, "checks": checks, "version": VERSION}, [])
    if not ok:
        raise click.exceptions.Exit(1)


def _run_checks(sources: Sources) -> Iterator[Check]:
    """Each check in turn; if one fails that the next ones need, it is the last."""
    name = "settings"
    try:
        settings = load_settings(sources)
        yield Check(name, ok=True, detail="the settings are valid")
        name = "database"
        yield from databases.check_database(settings.database)
    except SetupError as error:
        yield Check(name, ok=False, detail=str(error))
