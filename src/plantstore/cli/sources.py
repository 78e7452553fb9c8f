"""Where commands find the settings: the options of ``plantstore`` itself, and the environment."""

import os

import click

from plantstore.core.sources import Sources


def find_sources(**flags: object) -> Sources:
    """The sources of settings for the current command; ``flags`` are its own flags.

    :raises UsageError: --url or --token-file is given, but the command needs a database.
    """
    context = click.get_current_context()
    options = context.find_root().params
    if options["url"] is not None:
        raise click.UsageError("this command needs the database: leave out --url", context)
    if options["token_file"] is not None:
        raise click.UsageError("--token-file goes with --url, which is missing", context)
    sources = Sources({"database": options["database"], **flags}, os.environ, options["settings"])
    if options["settings"]:
        _ = sources.in_file  # read it even if no value is needed: its name may be mistyped
    return sources
