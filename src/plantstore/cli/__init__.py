"""The command line. Data goes to stdout; notes, progress and logs go to stderr."""

import os
import sys
from pathlib import Path

import click

import plantstore
from plantstore.cli.copy import copy
from plantstore.cli.events import event, plant
from plantstore.cli.help import show_help
from plantstore.cli.keeping import backup, restore, verify
from plantstore.cli.links import link
from plantstore.cli.maintenance import check, migrate
from plantstore.cli.members import member
from plantstore.cli.serve import serve
from plantstore.cli.settings import settings
from plantstore.cli.stores import store
from plantstore.cli.tokens import token
from plantstore.cli.transfer import export, import_plants
from plantstore.cli.users import user
from plantstore.errors import SetupError

INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(plantstore.__version__, message="%(version)s")
def cli() -> None:
    """Plant Store stores plant inventories behind a small HTTP/JSON interface.

    \b
    Serve, and create a token for a client:
      plantstore serve
      plantstore token create --create --store nursery --user ada

    \b
    Complete commands in bash; zsh_source and fish_source are for other shells:
      eval "$(_PLANTSTORE_COMPLETE=bash_source plantstore)"
    """


for command in (serve, link, migrate, backup, restore, verify, copy, import_plants, export, check):
    cli.add_command(command)
for group in (settings, show_help, store, user, member, token, event, plant):
    cli.add_command(group)


def main() -> None:
    """Run the command line and exit: 0, 1 for a failure, 2 for a usage error, 130 interrupted."""
    _open_closed_streams()
    try:
        status = cli.main(prog_name="plantstore", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except SetupError as error:
        click.echo(f"Error: {error}", err=True)
        status = 1
    except (click.Abort, KeyboardInterrupt):
        status = INTERRUPTED
    except OSError as error:
        # Maybe stdout cannot be written to; so that the flush at exit does not fail again:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # its reader has gone: not an error
            place = "" if error.filename is None else f"{error.filename}: "
            click.echo(f"Error: {place}{error.strerror or error}", err=True)
        status = 1
    sys.exit(status)


def _open_closed_streams() -> None:
    """Open streams that the shell closed, so that no other file gets their descriptors."""
    nowhere = Path(os.devnull)
    sys.stdin = sys.stdin or nowhere.open()
    sys.stdout = sys.stdout or nowhere.open("w")
    sys.stderr = sys.stderr or nowhere.open("w")
