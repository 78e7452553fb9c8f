"""The exit status tells a failure from a wrong call from an interruption."""

import fcntl
import os
import pty
import signal
import subprocess
import termios
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from plantstore.program import cli
from plantstore.version import VERSION
from tests.cli.program import PLANTSTORE, Program

# A question is printed before Python reads the answer; in between it would lose the signal.
_BEFORE_READING = 0.5


WRONG_CALLS = (
    "",
    "token",
    "nonsense",
    "store create",
    "store create a b",
    "store list --nonsense",
    "token create --create --user ada",
    "token create --create --store nursery",
    "token create --create --store nursery --user ada --role king",
    "token create --create --store nursery --user ada --scope water",
    "token create --create --store nursery --user ada --expires soon",
    "member add --store nursery --user ada",
    "serve --port x",
    "serve --log-format xml",
)


def test_a_wrong_call_ends_with_2_and_what_is_right(tmp_path: Path) -> None:
    program = Program(tmp_path)
    for call in WRONG_CALLS:
        done = CliRunner().invoke(cli, call, prog_name="plantstore")
        assert done.exit_code == 2, call
        assert "Usage: plantstore" in done.output
    assert "Usage: plantstore" in program.refusal(*WRONG_CALLS[-1].split(), status=2)
    assert not (program.folder / "plants.db").exists()


@pytest.mark.parametrize(
    "call",
    ["store delete meadow --yes", "store create Meadow", "token revoke 0123456789abcdef"],
)
def test_a_failure_ends_with_1_and_one_line(program: Program, call: str) -> None:
    said = program.refusal(*call.split())
    assert said.startswith("Error: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("user", "create", b"\xff"),
        ("store", "delete", "--yes", b"\xff"),
        ("token", "revoke", b"\xff"),
        ("token", "create", "--create", "--store", "nursery", "--user", "ada", "--label", b"\xff"),
        ("--database", b"sqlite:///\xff.db", "store", "list"),
        ("serve", "--host", b"\xff"),
    ],
    ids=repr,
)
def test_arguments_that_are_not_utf_8_are_refused_in_words(
    program: Program, arguments: tuple[str | bytes, ...]
) -> None:
    assert program.refusal(*arguments).startswith("Error: ")


def take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_an_interrupted_question_ends_with_130(program: Program) -> None:
    program.out("token", "create", "--create", "--store", "nursery", "--user", "ada")
    with subprocess.Popen(
        [*PLANTSTORE, "store", "delete", "nursery"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=program.environ,
    ) as asking:
        assert asking.stderr is not None
        while b"Type the name" not in asking.stderr.peek(1000):  # type: ignore[attr-defined]  # buffered
            assert asking.poll() is None
        time.sleep(_BEFORE_READING)
        asking.send_signal(signal.SIGINT)
        out, err = asking.communicate(timeout=60)
    assert asking.returncode == 130
    assert out == b""
    assert b"Traceback" not in err
    assert len(program.data("store", "list")) == 1


def test_the_version_is_printed(program: Program) -> None:
    assert program.out("--version") == VERSION


def test_ctrl_c_on_a_terminal_ends_with_130(program: Program) -> None:
    program.out("token", "create", "--create", "--store", "nursery", "--user", "ada")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*PLANTSTORE, "store", "delete", "nursery"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=program.environ,
        start_new_session=True,
        preexec_fn=take_terminal,  # noqa: PLW1509 - there are no threads here
    ) as asking:
        printed = b""
        while b"Type the name" not in printed:
            printed += os.read(ours, 1000)
        time.sleep(_BEFORE_READING)
        os.write(ours, b"\x03")
        assert asking.wait(60) == 130
    os.close(ours)
    os.close(theirs)
    assert len(program.data("store", "list")) == 1
