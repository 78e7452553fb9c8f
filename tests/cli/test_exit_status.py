"""Exit statuses: 1 for a failure, 2 for invalid usage; the error says what is right."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from plantstore.program import cli
from plantstore.version import VERSION
from tests.cli.program import CREATE, Program

# Between the prompt and the read of the answer, Python would lose the signal.
BEFORE_READING = 0.5


INVALID_CALLS = (
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


def test_invalid_usage_exits_with_2_and_prints_the_usage(tmp_path: Path) -> None:
    program = Program(tmp_path)
    for call in INVALID_CALLS:
        result = CliRunner().invoke(cli, call, prog_name="plantstore")
        assert result.exit_code == 2, call
        assert "Usage: plantstore" in result.output
    assert "Usage: plantstore" in program.refusal(*INVALID_CALLS[-1].split(), status=2)
    assert not (program.folder / "plants.db").exists()


@pytest.mark.parametrize(
    "call",
    ["token list --store meadow", "token list --user eve", "token revoke 0123456789abcdef"],
)
def test_a_failure_exits_with_1_and_a_one_line_error(program: Program, call: str) -> None:
    message = program.refusal(*call.split())
    assert message.startswith("Error: ")
    assert message.count("\n") == 1


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
def test_arguments_that_are_not_utf_8_are_refused(
    program: Program, arguments: tuple[str | bytes, ...]
) -> None:
    result = program.run(*arguments)
    assert result.status == (2 if {"--label", "--database"} & set(arguments) else 1)
    assert result.err.startswith("Error: ")


MISTAKES = {
    "version": "run `plantstore --version`",
    "tokens": "No such command 'tokens'. Did you mean 'token'?",
    "create token": "run `plantstore token create`",
    "token list nursery": "Got unexpected extra argument (nursery): name a store with --store",
    "token list nursery --store nursery": "Got unexpected extra argument (nursery)",
    "check plants.db": "name a database with `plantstore --database sqlite:///plants.db check`",
    "token delete x": "No such command 'delete'. The commands are: create, list, revoke, rotate.",
    "token lst": "No such command 'lst'. The commands are: create, list, revoke, rotate.",
    "help token create": "run `plantstore token create --help`",
    "--token-file t token list": "--token-file goes with --url, which is missing",
    "--database plants.db token list": "a database URL cannot begin with 'plants.db': write",
    "--database sqlite://plants.db token list": "is not a database URL: write sqlite:///plants.db",
    "--settings": "Option '--settings' requires an argument.",
    "serve --cors-origin example.org": "--cors-origin is 'example.org', but must be *, none, or",
    "serve --workers 0": "--workers is 0, but must be a whole number, at least 1 and at most 64",
    "token create --create --store Nursery --user ada": "'Nursery' is not a valid store name: use",
}


@pytest.mark.parametrize("call", MISTAKES)
def test_a_usage_error_suggests_the_correction(program: Program, call: str) -> None:
    assert MISTAKES[call] in program.refusal(*call.split(), status=2)


def test_a_misspelled_setting_in_the_file_is_reported(program: Program) -> None:
    file = program.folder / "plantstore.toml"
    file.write_text("databse = 'sqlite:///other.db'\n")
    sentence = f"{file}: unknown setting 'databse'; did you mean database?\n"
    result = program.run("--settings", str(file), "token", "list")
    assert (result.status, result.err) == (0, f"Warning: {sentence}")
    assert program.refusal("--settings", str(file), "check") == f"Error: {sentence}"


def test_the_version_is_printed(program: Program) -> None:
    assert program.out("--version") == VERSION
