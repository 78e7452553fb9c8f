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


def test_a_backup_that_was_copied_or_restored_from_can_be_replaced(program: Program) -> None:
    program.out("backup", "backup.db")
    program.out("copy", "--from", "sqlite:///backup.db", "--to", "sqlite:///copy.db")
    restore = ("restore", "sqlite:///backup.db", "--store", "nursery", "--yes")
    program.out(*restore)
    assert not (program.folder / "backup.db-lock").exists()
    program.out("backup", "backup.db")
