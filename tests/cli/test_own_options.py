"""Options of ``plantstore`` itself, before or after the command."""

import shlex

import pytest

from tests.cli.program import CREATE, PLANTSTORE, Program

PROGRAM = shlex.join(PLANTSTORE)


@pytest.fixture
def alone(program: Program) -> Program:
    """The program as a new process, not as a fork."""
    return Program(program.folder, prefix=("env",)).with_database()


def test_own_options_may_follow_the_command(program: Program) -> None:
    file = f"sqlite:///{program.folder / 'other one.db'}"
    program.out("migrate", "--database", file)
    program.out(*CREATE, f"--database={file}")
    assert " ada " in program.out("token", "--database", file, "list")
    assert " ada " not in program.out("token", "list")
    unknown = program.refusal("token", "revoke", f"--database={file}", "--", "--url")
    assert "there is no such token" in unknown
    assert "No such option '--database'" in program.refusal("check", "--database", status=2)


def test_a_command_in_an_error_message_can_be_pasted(alone: Program) -> None:
    other = f"sqlite:///{alone.folder / 'other one.db'}"
    alone.out("--database", other, "migrate")
    message = alone.refusal("--database", other, "token", "revoke", "0123456789abcdef")
    _, command, _ = message.split("`")
    assert command == f"{PROGRAM} --database '{other}' token list"
    assert alone.in_shell(command).status == 0
