"""The command line. Data goes to stdout; notes, progress and logs go to stderr."""

import os
import sys
from collections import UserDict
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from plantstore.cli.errors import describe_error
from plantstore.cli.pasted import name_program, separate_options
from plantstore.cli.sources import find_sources
from plantstore.core.errors import InvalidChangeError, PlantStoreError, SetupError, UsageError
from plantstore.core.sources import find_unknown
from plantstore.feature import load
from plantstore.features import FEATURES
from plantstore.program.loading import SETTINGS, find_unknown_in_file
from plantstore.version import VERSION

_LOADS_SETTINGS = {"check", "serve", "settings"}  # these also refuse unknown settings

_CORE = {
    "check": "program.maintenance.check",
    "migrate": "program.maintenance.migrate",
    "serve": "program.serve.serve",
    "settings": "program.settings.settings",
    "token": "cli.tokens.token",
}
_OF_FEATURES = {
    name: f"features.{folder}.{place}"
    for folder, feature in FEATURES.items()
    for name, place in feature.commands.items()
}
_PLACES = dict(sorted((_CORE | _OF_FEATURES).items()))


class Commands(UserDict[str, Any]):
    """The commands by name, imported on demand: ``serve`` does not load the others."""

    def __getitem__(self, name: str) -> click.Command:
        command: click.Command = load(self.data[name])
        return command


@click.group(commands=Commands(_PLACES), context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--database",
    metavar="URL",
    help="Database, such as sqlite:///plants.db; else PLANTSTORE_DATABASE, else a file in your "
    "data folder.",
)
@click.option(
    "--settings",
    metavar="FILE",
    help="TOML file with settings; else PLANTSTORE_SETTINGS, else plantstore/plantstore.toml in "
    "~/.config or /etc.",
)
@click.option("--url", help="Service, such as https://plants.example.org, in place of a database.")
@click.option("--token-file", metavar="FILE", help="With --url: file that holds the token.")
@click.version_option(VERSION, message="%(version)s")
@click.pass_context
def cli(context: click.Context, /, url: str | None, **_read_by_sources: str | None) -> None:
    """Plant Store keeps lists of plants, with a page for people and HTTP/JSON for programs.

    \b
    Serve, and create a token for a client:
      plantstore serve
      plantstore token create --create --store nursery --user ada

    \b
    Name another database:
      plantstore --database sqlite:///plants.db token list

    \b
    List and change plants on another machine's service:
      plantstore --url https://plants.example.org --token-file token plant list

    \b
    Complete commands in bash; zsh_source and fish_source are for other shells:
      eval "$(_PLANTSTORE_COMPLETE=bash_source plantstore)"
    """
    if context.invoked_subcommand == "serve":  # serve logs them
        return
    sentences = [*find_unknown(os.environ, SETTINGS)]
    if url is None and context.invoked_subcommand not in _LOADS_SETTINGS:
        with suppress(SetupError):  # the command raises it again if it needs the file
            sentences += find_unknown_in_file(find_sources())
    for sentence in sentences:
        click.echo(f"Warning: {sentence}", err=True)


def main() -> None:
    """Run the command line and exit: 0, 1 for a failure, 2 for a usage error, 130 interrupted."""
    nowhere = Path(os.devnull)  # for streams that the shell closed: no other file gets their place
    sys.stdin = sys.stdin or nowhere.open()
    sys.stdout = sys.stdout or nowhere.open("w")
    sys.stderr = sys.stderr or nowhere.open("w")
    try:
        own, words = separate_options()
        status = cli.main([*own, *words], "plantstore", standalone_mode=False) or 0
    except click.ClickException as error:
        _correct(error).show()
        status = error.exit_code
    except (SetupError, PlantStoreError) as error:
        sentence = str(error) if isinstance(error, SetupError) else describe_error(error)
        click.echo(f"Error: {name_program(sentence)}", err=True)
        status = 2 if isinstance(error, UsageError | InvalidChangeError) else 1
    except (click.Abort, KeyboardInterrupt):
        status = 130
    except OSError as error:
        # stdout may not be writable: the flush at exit must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # the reader has gone, which is no error
            place = "" if error.filename is None else f"{error.filename}: "
            click.echo(f"Error: {place}{error.strerror or error}", err=True)
        status = 1
    sys.exit(status)


def _correct(error: click.ClickException) -> click.ClickException:
    """The error, with a correction for typical mistakes."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    command, words, sentence = context and context.command, sys.argv[2:], error.message
    if isinstance(error, click.NoSuchCommand) and isinstance(command, click.Group):
        verb, noun = error.command_name, cli.commands.get(words[0]) if words else None
        if command is cli and verb in {"help", "version"}:
            sentence = f"run `{' '.join(['plantstore', *words, f'--{verb}'])}`"
        elif command is cli and isinstance(noun, click.Group) and verb in noun.commands:
            sentence = f"run `plantstore {noun.name} {verb}`"
        elif command is not cli or not error.possibilities:
            sentence += f" The commands are: {', '.join(sorted(command.commands))}."
    elif command and "extra argument" in sentence:
        if not any(parameter.name == "store" for parameter in command.params):
            if words[-1].endswith(".db") and command.name == sys.argv[1]:
                call = f"plantstore --database sqlite:///plants.db {command.name}"
                sentence += f": name a database with `{call}`"
        elif not any(word.startswith("--store") for word in words):
            sentence += ": name a store with --store"
    return error if sentence == error.message else click.UsageError(sentence, context)
