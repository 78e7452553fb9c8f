"""Every command explains itself, with examples that work."""

import re
from collections.abc import Iterator

import click
import pytest

from plantstore.cli import cli
from tests.cli.program import Program

EXAMPLE = re.compile(
    r"^ +((?:TOKEN=\$\(|eval \"\$\(_PLANTSTORE_COMPLETE=\w+ )?plantstore\b.*)$", re.MULTILINE
)


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of all commands that do something."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name)


COMMANDS = list(commands(cli))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_has_help_with_an_example(program: Program, command: tuple[str, ...]) -> None:
    shown = program.run(*command, "--help")
    assert (shown.status, shown.err) == (0, "")
    assert shown.out.startswith(f"Usage: plantstore {' '.join(command)} ")
    examples = EXAMPLE.findall(shown.out)
    assert any(f"plantstore {' '.join(command)}" in example for example in examples)
    assert list(program.folder.iterdir()) == []


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_option_and_argument_is_explained(command: tuple[str, ...]) -> None:
    found: click.Command = cli
    for name in command:
        assert isinstance(found, click.Group)
        found = found.commands[name]
    assert found.help
    for parameter in found.params:
        if isinstance(parameter, click.Option):
            assert parameter.help
        else:
            assert parameter.name is not None
            assert parameter.name.upper() in found.help or parameter.name == "name"


@pytest.mark.parametrize("group", [(), ("store",), ("user",), ("member",), ("token",)], ids=str)
def test_a_group_lists_its_commands(program: Program, group: tuple[str, ...]) -> None:
    shown = program.out(*group, "-h")
    for path in COMMANDS:
        if path[: len(group)] == group:
            assert f"\n  {path[len(group)]} " in shown


def test_the_examples_work(program: Program) -> None:
    program.out("store", "create", "meadow")
    program.out("user", "create", "bob")
    for path in COMMANDS:
        if path == ("serve",):
            continue
        for example in EXAMPLE.findall(program.run(*path, "--help").out):
            done = program.in_shell(example, shell="bash")
            assert done.status in {0, 1}, done
            assert "Traceback" not in done.err
    stores = {store["name"] for store in program.data("store", "list")}
    assert {"meadow", "nursery"} <= stores
