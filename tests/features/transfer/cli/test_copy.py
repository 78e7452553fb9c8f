"""What ``plantstore copy`` shows: a bar on a terminal, and one line everywhere."""

from tests.cli.program import Program
from tests.cli.test_streams import run_on_terminal


def test_off_a_terminal_there_is_one_line(program: Program) -> None:
    program.out("store", "create", "nursery")
    done = program.run("copy", "--from", program.database, "--to", "sqlite:///copy.db")
    assert (done.status, done.out) == (0, "")
    assert done.err == "copied and verified: stores: 1\n"


def test_a_quiet_copy_says_nothing(program: Program) -> None:
    program.out("store", "create", "nursery")
    done = program.run("copy", "--from", program.database, "--to", "sqlite:///copy.db", "--quiet")
    assert (done.status, done.out, done.err) == (0, "", "")
    assert (program.folder / "copy.db").exists()


def test_on_a_terminal_there_are_bars(program: Program) -> None:
    program.out("store", "create", "nursery")
    program.out("import", "-", "--store", "nursery", stdin='{"id":1,"name":"Fern"}')
    copy = ("copy", "--from", program.database, "--to", f"sqlite:///{program.folder}/copy.db")
    shown = run_on_terminal(program, *copy)
    assert "copying" in shown
    assert "verifying" in shown
    assert "100%" in shown
    assert "copied and verified: " in shown
    assert "copying" not in run_on_terminal(program, *copy, "--quiet")
