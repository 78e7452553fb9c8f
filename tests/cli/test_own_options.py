"""Options of ``plantstore`` itself must come before the command."""

import shlex

import pytest

from tests.cli.program import PLANTSTORE, Program

PROGRAM = shlex.join(PLANTSTORE)


def corrected_command(program: Program, call: str) -> str:
    message = program.refusal(*shlex.split(call), status=2)
    before, _, line = message.rstrip().rpartition("\n")
    assert before.endswith("Error: give plantstore's own options before the command:\n")
    return line.strip()


@pytest.fixture
def alone(program: Program) -> Program:
    """The program as a new process, not as a fork."""
    return Program(program.folder, prefix=("env",)).with_database()


@pytest.mark.parametrize(
    ("call", "corrected"),
    [
        ("settings show --database sqlite:///x.db", "--database sqlite:///x.db settings show"),
        ("token --settings='my s.toml' list", "'--settings=my s.toml' token list"),
        (
            "--settings s.toml token list --database sqlite:///x.db --json",
            "--settings s.toml --database sqlite:///x.db token list --json",
        ),
        ("token revoke -7 --database X", "--database X token revoke -7"),
        ("serve --port 0 --database", "--database ... serve --port 0"),
        (
            "check --database postgresql://ada:secret@db/plants",
            "--database postgresql://ada:...@db/plants check",
        ),
    ],
)
def test_global_options_after_the_command_are_refused_with_a_correction(
    alone: Program, call: str, corrected: str
) -> None:
    assert corrected_command(alone, call) == f"{PROGRAM} {corrected}"


def test_a_command_in_an_error_message_can_be_pasted(alone: Program) -> None:
    other = f"sqlite:///{alone.folder / 'other one.db'}"
    alone.out("--database", other, "migrate")
    message = alone.refusal("--database", other, "token", "revoke", "0123456789abcdef")
    _, command, _ = message.split("`")
    assert command == f"{PROGRAM} --database '{other}' token list"
    assert alone.in_shell(command).status == 0
