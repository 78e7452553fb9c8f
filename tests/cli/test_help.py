"""Every command has help, with examples that run."""

import re
import shlex
from collections.abc import Iterator
from contextlib import closing

import click
from click.testing import CliRunner

from plantstore.program import cli
from tests.administration import open_administration
from tests.cli.program import Program

EXAMPLE = re.compile(
    r"^ +((?:TOKEN=\$\(|eval \"\$\(_PLANTSTORE_COMPLETE=\w+ )?plantstore\b.*)$", re.MULTILINE
)
COMPLETE = """
{setup}
COMP_WORDS=(plantstore {words})
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_plantstore_completion plantstore
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of all commands, without groups."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name)


COMMANDS = list(commands(cli))


def help_of(*path: str) -> str:
    result = CliRunner().invoke(cli, [*path, "--help"], prog_name="plantstore")
    assert result.exit_code == 0
    return result.output


def test_every_command_has_help_with_an_example() -> None:
    for path in COMMANDS:
        name, text = " ".join(path), help_of(*path)
        assert text.startswith(f"Usage: plantstore {name} ")
        assert any(f" {name}" in example for example in EXAMPLE.findall(text))


def test_every_option_and_argument_has_help() -> None:
    for path in COMMANDS:
        command: click.Command = cli
        for name in path:
            assert isinstance(command, click.Group)
            command = command.commands[name]
        assert command.help
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help
            else:
                assert parameter.name is not None
                label = (parameter.metavar or parameter.name.upper()).strip("[].")
                assert label in command.help or parameter.name == "name"


def test_the_help_examples_run_without_usage_errors(program: Program) -> None:
    with closing(open_administration(program.database)) as administration:
        administration.create_store("meadow")
        administration.create_user("bob")
    for path in COMMANDS:
        if path == ("serve",):
            continue
        for example in EXAMPLE.findall(help_of(*path)):
            is_plain = example.startswith("plantstore ") and not set(example) & set("|<>$&;~")
            words = shlex.split(example, comments=True)[1:]
            result = program.run(*words) if is_plain else program.in_shell(example, shell="bash")
            assert result.status in {0, 1}, result
            assert "Traceback" not in result.err
    with closing(open_administration(program.database)) as administration:
        assert {"meadow", "nursery"} <= {store.name for store in administration.list_stores()}


def complete(program: Program, setup: str, words: str) -> list[str]:
    result = program.in_shell(COMPLETE.format(setup=setup, words=words), shell="bash")
    assert (result.status, result.err) == (0, "")
    return sorted(result.out.split())


def test_bash_completes_commands_options_and_values(program: Program) -> None:
    (setup,) = (line for line in EXAMPLE.findall(program.out("--help")) if "COMPLETE" in line)
    assert complete(program, setup, "token ''") == ["create", "list", "revoke", "rotate"]
    assert complete(program, setup, "token create --create --ro") == ["--role"]
    assert complete(program, setup, "token create --create --role ''") == [
        "editor",
        "owner",
        "reader",
    ]
