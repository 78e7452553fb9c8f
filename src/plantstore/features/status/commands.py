"""``plantstore status``."""

import click
from msgspec.structs import replace

from plantstore.cli.options import sources_options
from plantstore.cli.output import Output, format_time
from plantstore.core.settings import Settings, load_database, without_password
from plantstore.core.sources import Sources
from plantstore.databases import reading
from plantstore.features.status.facts import find_facts, judge
from plantstore.version import VERSION


@click.command()
@sources_options
def status(sources: Sources, output: Output) -> None:
    """Show the service: database, size, stores, plants, backups, certificate, problems.

    Nothing is changed. The exit status is 0 even if there are problems: see `plantstore check`.

    \b
    Example:
      plantstore status
    """
    given = sources.read(Settings, "tls_cert", "workers")
    settings = replace(given, database=load_database(sources), file=sources.file)
    with reading(settings.database) as reader:
        facts = find_facts(settings, reader)
        ((size, program),) = reader.query("read_size")
        ((stores, plants),) = reader.query("count_all")
    output.print_record(
        {
            "version": VERSION,
            "settings": settings.file,
            "database": without_password(settings.database),
            "program": program,
            "bytes": size,
            "disk_free": facts.disk_free,
            "stores": stores,
            "plants": plants,
            "workers": settings.workers,
            "backup_at": format_time(facts.backup_at),
            "verified_backup_at": format_time(facts.verified_at),
            "certificate_expires_at": format_time(facts.certificate_ends_at or None),
            "tokens_expiring": facts.tokens_expiring,
            "problems": [result.detail for result in judge(facts) if not result.ok],
        }
    )
