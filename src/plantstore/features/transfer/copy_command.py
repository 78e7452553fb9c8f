"""``plantstore copy``."""

import click

from plantstore.cli.administration_log import note_in_database
from plantstore.cli.options import sources_options
from plantstore.cli.output import Output
from plantstore.core.settings import without_password
from plantstore.core.sources import Sources
from plantstore.features.transfer.copying import open_copy
from plantstore.features.transfer.progress import run_steps


@click.command()
@click.option("--from", "source", required=True, metavar="URL", help="Database to read.")
@click.option("--to", "target", required=True, metavar="URL", help="Database to write to.")
@click.option("--store", metavar="NAME", help="Copy this store alone, into what is there.")
@sources_options
def copy(sources: Sources, source: str, target: str, store: str | None, output: Output) -> None:
    """Copy everything, or one store, to another database, of either kind, and verify it.

    It copies stores, users, members, tokens, plants and events. The target must be empty, or an
    earlier copy: the same command resumes an interrupted copy, and updates an earlier one. Changes
    to the source after the start are not copied.

    Keep passwords in ~/.pgpass: other users can see the arguments of a running command.

    With --store, the target may have other stores and be in use. The store keeps its number and its
    tokens; users are matched by name.

    \b
    Example:
      plantstore copy --from sqlite:///plants.db --to postgresql://postgres@localhost/plants
    """
    if sources.flags["database"] is not None:
        raise click.UsageError("name the databases with --from and --to, not with --database")
    with open_copy(source, target, store) as copying:
        copying.check()
        rows = copying.count_rows()
        for words, steps in (("copying", copying.write()), ("verifying", copying.verify())):
            run_steps(output, words, steps, rows)
    changed = {"source": without_password(source), "plants": copying.written["plants"]}
    note_in_database(target, "copy", store=store, **changed)
    counts = ", ".join(f"{words}: {count}" for words, count in copying.written.items())
    nothing = "nothing to copy: the target is up to date (verified)"
    sentence = f"copied and verified: {counts}" if counts else nothing
    output.report({"written": copying.written, "verified": True}, sentence)
