"""``plantstore distribute``."""

import click

from plantstore.cli.administration_log import note_in_database
from plantstore.cli.options import database_options
from plantstore.cli.output import Output
from plantstore.core.errors import SetupError
from plantstore.databases import is_postgres


@click.command()
@database_options
def distribute(database: str, output: Output) -> None:
    """Distribute a database over the workers of Citus; it is migrated too.

    Stop the service first. From then on, `plantstore migrate` distributes new tables.

    \b
    Example:
      plantstore --database postgresql://coordinator/plantstore distribute
    """
    if not is_postgres(database):
        raise SetupError("Citus can distribute only a PostgreSQL database")
    from plantstore.postgres.connection import migrate

    done = migrate(database, distribution="citus")
    note_in_database(database, "distribute", migrations=len(done))
    output.report({"migrations": [it.name for it in done]}, "the tables are distributed")
