"""Output on a terminal: bars of ``plantstore copy`` and imports, and one line everywhere."""

import pytest

from tests.cli.program import Program
from tests.cli.test_streams import run_on_terminal


@pytest.fixture
def program(program: Program) -> Program:
    program.with_database().make_store("nursery")
    return program


def test_progress_bars_are_shown_on_a_terminal(program: Program) -> None:
    plants = program.folder / "plants.csv"
    plants.write_text("id,name\n1,Fern\n", encoding="utf-8")
    output = run_on_terminal(program, "import", str(plants), "--store", "nursery")
    assert "reading" in output
    assert "importing" in output
    copy = ("copy", "--from", program.database, "--to", f"sqlite:///{program.folder}/copy.db")
    output = run_on_terminal(program, *copy)
    assert "copying" in output
    assert "verifying" in output
    assert "100%" in output
    assert "copied and verified: " in output
    assert "copying" not in run_on_terminal(program, *copy, "--quiet")


def test_a_copy_that_is_refused_creates_no_database(program: Program) -> None:
    copy = ("copy", "--from", program.database, "--to", "sqlite:///x.db")
    message = program.refusal("--database", program.database, *copy, status=2)
    assert "name the databases with --from and --to" in message
    missing = program.refusal(*copy, "--store", "nurserie")
    assert "there is no store 'nurserie' (did you mean 'nursery'?)" in missing
    assert not (program.folder / "x.db").exists()
