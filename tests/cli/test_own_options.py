"""``--database`` and ``--settings`` stand before the command, for all commands alike."""

import shlex
import sys

import pytest

from tests.cli.program import Program
from tests.whole.test_help import COMMANDS


def advice(program: Program, call: str) -> str:
    """The corrected command that the program prints."""
    refused = program.refusal(*shlex.split(call), status=2)
    before, _, line = refused.rstrip().rpartition("\n")
    assert before.endswith("Error: give --database and --settings before the command:\n")
    return line.strip()


@pytest.fixture
def alone(program: Program) -> Program:
    """The program as a user starts it, not as a fork."""
    return Program(program.folder, prefix=("env",)).with_database()


@pytest.mark.parametrize(
    ("call", "corrected"),
    [
        ("settings show --database sqlite:///x.db", "--database sqlite:///x.db settings show"),
        ("token --settings='my s.toml' list", "'--settings=my s.toml' token list"),
        (
            "--settings s.toml store list --database sqlite:///x.db --json",
            "--settings s.toml --database sqlite:///x.db store list --json",
        ),
        (
            "plant restore --store nursery -7 --database X",
            "--database X plant restore --store nursery -7",
        ),
        ("serve --port 0 --database", "--database ... serve --port 0"),
        (
            "check --database postgresql://ada:secret@db/plants",
            "--database postgresql://ada:...@db/plants check",
        ),
    ],
)
def test_after_the_command_they_are_refused_with_the_corrected_command(
    alone: Program, call: str, corrected: str
) -> None:
    assert advice(alone, call) == f"{sys.executable} -m plantstore {corrected}"


def test_the_corrected_command_works_when_it_is_pasted(alone: Program) -> None:
    other = f"sqlite:///{alone.folder / 'other one.db'}"
    line = advice(alone, f"token create --create --store orchard --user ada --database '{other}'")
    assert alone.in_shell(line).out == "orchard\n"
    listed = alone.data("--database", other, "store", "list")
    assert [store["name"] for store in listed] == ["orchard"]
    assert "orchard" not in alone.out("store", "list")


def test_no_command_takes_them_itself(program: Program) -> None:
    for path in COMMANDS:
        for option in ("--database", "--settings"):
            assert "before the command" in program.refusal(*path, option, "x", status=2)


def test_other_usage_errors_stay_as_they_are(program: Program) -> None:
    said = program.refusal("--database", program.database, "store", "list", "--bad", status=2)
    assert said.endswith("Error: No such option '--bad'.\n")


def test_a_copy_names_both_its_databases(program: Program) -> None:
    copy = ("copy", "--from", program.database, "--to", "sqlite:///x.db")
    said = program.refusal("--database", program.database, *copy, status=2)
    assert "name the databases with --from and --to" in said
    assert not (program.folder / "x.db").exists()
