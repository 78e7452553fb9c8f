"""``plantstore migrate`` and ``check``."""

import os
from contextlib import closing

import click

from plantstore import bootstrap
from plantstore.cli.administration_log import log_change
from plantstore.cli.options import database_option, quiet_option
from plantstore.settings import check_tls, load_settings, without_password


@click.command()
@click.option("--dry-run", is_flag=True, help="Only print what would be done.")
@database_option
@quiet_option
def migrate(database: str, *, dry_run: bool, quiet: bool) -> None:
    """Migrate the database to this program's schema.

    \b
    Example:
      plantstore migrate --dry-run
    """
    done = bootstrap.migrate(database, dry_run=dry_run)
    if done and not dry_run:
        log_change("migrate", database=without_password(database), migrations=len(done))
    if quiet:
        return
    for migration in done:
        verb = "would apply" if dry_run else "applied"
        click.echo(f"{verb} migration {migration.number} ({migration.name})", err=True)
    if not done:
        click.echo("the schema is up to date", err=True)


@click.command()
@click.option("--settings", "file", metavar="FILE", help="TOML file with settings.")
@click.option("--database", metavar="URL", help="Database to check.")
def check(file: str | None, database: str | None) -> None:
    """Check the configuration and the database.

    \b
    Example:
      plantstore check --database sqlite:///plants.db
    """
    settings = load_settings({"database": database}, os.environ, file)
    check_tls(settings)
    click.echo("ok: the settings are valid")
    bootstrap.require_database(settings.database)
    with closing(bootstrap.open_administration(settings.database)) as administration:
        for finding in administration.check():
            click.echo(f"ok: {finding}")
