"""Output to pipes, closed streams, full disks and terminals."""

import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.cli.program import CREATE, PLANTSTORE, Program


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program with a database that has many tokens."""
    program = Program(tmp_path_factory.mktemp("streams")).with_database()
    for number in range(3):
        program.out(*CREATE[:-1], f"gardener-{number}")
    return program


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
        except OSError:  # the end of a terminal on Linux
            pass
        assert process.wait(60) == 0
    os.close(ours)
    return printed.decode()


@pytest.mark.parametrize("command", ["token list", "token list --json"])
def test_a_broken_pipe_is_not_an_error(program: Program, command: str) -> None:
    result = program.in_shell(f"plantstore {command} | head -1; plantstore {command} | true")
    assert (result.status, result.err) == (0, "")
    assert result.out.count("\n") == 1


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
def test_a_closed_stream_does_not_crash_a_command(program: Program, call: str, status: int) -> None:
    result = program.in_shell(f"plantstore {call}")
    assert result.status == status
    assert "Traceback" not in result.err
    if "<&-" in call:
        assert "Error: " in result.err


@pytest.mark.parametrize("command", ["token list", "--version"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
def test_a_write_error_on_stdout_is_reported(program: Program, command: str) -> None:
    result = program.in_shell(f"plantstore {command} >/dev/full")
    assert result.status == 1
    assert "Traceback" not in result.err
    assert "space" in result.err


def test_piped_output_has_no_colour_and_is_not_truncated(program: Program) -> None:
    table = program.out("token", "list", COLUMNS="40", TERM="xterm-256color")
    assert "\x1b" not in table
    assert "…" not in table
    ids = [token["id"] for token in program.data("token", "list")]
    assert [line.split()[0] for line in table.splitlines()[1:]] == ids
