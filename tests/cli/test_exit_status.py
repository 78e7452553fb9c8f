"""The exit status tells a failure from a wrong call from an interruption."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from plantstore.program import cli
from plantstore.version import VERSION
from tests.cli.program import CREATE, Program

# A question is printed before Python reads the answer; in between it would lose the signal.
BEFORE_READING = 0.5


WRONG_CALLS = (
    "",
    "token",
    "nonsense",
    "token create",
    "token list a",
    "token list --nonsense",
    "token create --create --user ada",
    "token create --create --store nursery",
    "token create --create --store nursery --user ada --role king",
    "token create --create --store nursery --user ada --scope water",
    "token create --create --store nursery --user ada --expires soon",
    "serve --port x",
    "serve --log-format xml",
)


def test_a_wrong_call_ends_with_2_and_what_is_right(tmp_path: Path) -> None:
    program = Program(tmp_path)
    for call in WRONG_CALLS:
        done = CliRunner().invoke(cli, call, prog_name="plantstore")
        assert done.exit_code == 2, call
        assert "Usage: plantstore" in done.output
    assert "Usage: plantstore" in program.refusal(*WRONG_CALLS[-1].split(), status=2)
    assert not (program.folder / "plants.db").exists()


@pytest.mark.parametrize(
    "call",
    ["token list --store meadow", "token list --user eve", "token revoke 0123456789abcdef"],
)
def test_a_failure_ends_with_1_and_one_line(program: Program, call: str) -> None:
    said = program.refusal(*call.split())
    assert said.startswith("Error: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("token", "list", "--user", b"\xff"),
        ("token", "revoke", b"\xff"),
        (*CREATE, "--label", b"\xff"),
        ("--database", b"sqlite:///\xff.db", "token", "list"),
        ("serve", "--host", b"\xff"),
    ],
    ids=repr,
)
def test_arguments_that_are_not_utf_8_are_refused_in_words(
    program: Program, arguments: tuple[str | bytes, ...]
) -> None:
    assert program.refusal(*arguments).startswith("Error: ")


def test_the_version_is_printed(program: Program) -> None:
    assert "run `plantstore --version`" in program.refusal("version", status=2)
    assert program.out("--version") == VERSION
