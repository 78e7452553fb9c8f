"""``plantstore migrate`` and ``check``."""

import os
from collections.abc import Iterator, Sequence

import click

import plantstore
from plantstore import bootstrap
from plantstore.cli.administration_log import log_change
from plantstore.cli.options import change_options, json_option, warn_of_unknown_variables
from plantstore.cli.output import print_json, report_created
from plantstore.errors import SetupError
from plantstore.settings import load_settings, without_password
from plantstore.sql.checks import Check
from plantstore.sql.migrations import Migration


@click.command()
@click.option("--dry-run", is_flag=True, help="Only print what would be done.")
@click.option("--citus", is_flag=True, help="Distribute the tables over the workers of Citus.")
@change_options
def migrate(database: str, *, dry_run: bool, citus: bool, as_json: bool, quiet: bool) -> None:
    """Migrate the database to this program's schema; a missing SQLite file is created.

    \b
    Example:
      plantstore migrate --dry-run
    """
    created = None if dry_run else bootstrap.create_database(database)
    done = bootstrap.migrate(database, dry_run=dry_run, citus=citus)
    if done and not dry_run:
        log_change("migrate", database=without_password(database), migrations=len(done))
    if not quiet:
        report_created(created)
    if as_json:
        applied = [{"number": one.number, "name": one.name} for one in done]
        print_json({"dry_run": dry_run, "created": created, "migrations": applied})
    elif not quiet:
        _print_migrations(done, dry_run=dry_run)
        if citus and not dry_run:
            click.echo("the tables are distributed")


def _print_migrations(done: Sequence[Migration], *, dry_run: bool) -> None:
    for migration in done:
        verb = "would apply" if dry_run else "applied"
        click.echo(f"{verb} migration {migration.number} ({migration.name})")
    if not done:
        click.echo("the schema is up to date")


@click.command()
@click.option(
    "--settings", "file", metavar="FILE", help="TOML file with settings; else PLANTSTORE_SETTINGS."
)
@click.option("--database", metavar="URL", help="Database to check.")
@json_option
def check(file: str | None, database: str | None, *, as_json: bool) -> None:
    """Check the settings, and that the database is intact and accepts writes; change nothing.

    The exit status is 1 if a check fails. Run it as the service's user.

    \b
    Example:
      plantstore check --database sqlite:///plants.db
    """
    warn_of_unknown_variables()
    checks = []
    for found in _run_checks(file, database):
        checks.append(found)
        if not as_json:
            _print_check(found)
    ok = all(found.ok for found in checks)
    if as_json:
        print_json({"ok": ok, "checks": checks, "version": plantstore.__version__})
    if not ok:
        raise click.exceptions.Exit(1)


def _run_checks(file: str | None, database: str | None) -> Iterator[Check]:
    """Each check in turn; if one fails that the next ones need, it is the last."""
    name = "settings"
    try:
        settings = load_settings({"database": database}, os.environ, file)
        yield Check(name, ok=True, detail="the settings are valid")
        name = "database"
        yield from bootstrap.check_database(settings.database)
    except SetupError as error:
        yield Check(name, ok=False, detail=str(error))


def _print_check(found: Check) -> None:
    click.echo(f"{'ok' if found.ok else 'Error'}: {found.detail}", err=not found.ok)
