"""Data goes to stdout and notes to stderr, whoever reads them, or nobody."""

import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.cli.program import CREATE, PLANTSTORE, Program


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program with a database that has many tokens."""
    made = Program(tmp_path_factory.mktemp("streams")).with_database()
    for number in range(3):
        made.out(*CREATE[:-1], f"gardener-{number}")
    return made


def run_on_terminal(program: Program, *arguments: str, **environ: str) -> str:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*PLANTSTORE, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=program.environ | {"TERM": "xterm-256color", "COLUMNS": "80"} | environ,
    ) as process:
        os.close(theirs)
        printed = b""
        try:
            while part := os.read(ours, 65536):
                printed += part
        except OSError:  # how Linux tells the end of a terminal
            pass
        assert process.wait(60) == 0
    os.close(ours)
    return printed.decode()


@pytest.mark.parametrize("command", ["token list", "token list --json"])
def test_a_reader_that_leaves_early_is_no_error(program: Program, command: str) -> None:
    done = program.in_shell(f"plantstore {command} | head -1; plantstore {command} | true")
    assert (done.status, done.err) == (0, "")
    assert done.out.count("\n") == 1


@pytest.mark.parametrize(
    ("call", "status"),
    [
        ("token list >&-", 0),
        ("--version >&-", 0),
        ("token create --store roof --user ada <&-", 1),
        ("token revoke - <&-", 1),
        ("token create --create --user gardener-1 --store shed 2>&-", 0),
    ],
)
def test_a_closed_stream_is_no_crash(program: Program, call: str, status: int) -> None:
    done = program.in_shell(f"plantstore {call}")
    assert done.status == status
    assert "Traceback" not in done.err
    if "<&-" in call:
        assert "Error: " in done.err


@pytest.mark.parametrize("command", ["token list", "--version"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
def test_a_full_stdout_is_reported(program: Program, command: str) -> None:
    done = program.in_shell(f"plantstore {command} >/dev/full")
    assert done.status == 1
    assert "Traceback" not in done.err
    assert "space" in done.err


def test_off_a_terminal_there_is_neither_colour_nor_a_cut(program: Program) -> None:
    table = program.out("token", "list", COLUMNS="40", TERM="xterm-256color")
    assert "\x1b" not in table
    assert "…" not in table
    ids = [token["id"] for token in program.data("token", "list")]
    assert [line.split()[0] for line in table.splitlines()[1:]] == ids


def test_no_color_leaves_no_style_on_a_terminal(program: Program) -> None:
    shown = run_on_terminal(program, "token", "list", NO_COLOR="1")
    assert "gardener" in shown
    assert "\x1b[" not in shown
    assert "\x1b[1m" in run_on_terminal(program, "token", "list", NO_COLOR="")
