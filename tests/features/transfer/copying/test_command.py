"""What ``plantstore copy`` shows: a bar on a terminal, and one line everywhere."""

import pytest

from tests.cli.program import Program
from tests.cli.test_streams import run_on_terminal


@pytest.fixture
def program(program: Program) -> Program:
    program.with_database().make_store("nursery")
    return program


def test_on_a_terminal_there_are_bars(program: Program) -> None:
    program.out("import", "-", "--store", "nursery", stdin='{"id":1,"name":"Fern"}')
    copy = ("copy", "--from", program.database, "--to", f"sqlite:///{program.folder}/copy.db")
    shown = run_on_terminal(program, *copy)
    assert "copying" in shown
    assert "verifying" in shown
    assert "100%" in shown
    assert "copied and verified: " in shown
    assert "copying" not in run_on_terminal(program, *copy, "--quiet")


def test_a_copy_names_both_its_databases(program: Program) -> None:
    copy = ("copy", "--from", program.database, "--to", "sqlite:///x.db")
    said = program.refusal("--database", program.database, *copy, status=2)
    assert "name the databases with --from and --to" in said
    assert not (program.folder / "x.db").exists()
