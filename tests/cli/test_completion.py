"""Completion scripts: of every shell, and run in bash."""

import pytest

from tests.cli.program import Program

COMPLETE = """
eval "$(plantstore completion bash)"
COMP_WORDS=({words})
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
{function} plantstore
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def complete(program: Program, words: str) -> list[str]:
    """What bash offers for the last of the words."""
    script = COMPLETE.format(words=words, function="_plantstore_completion")
    done = program.in_shell(script, shell="bash")
    assert done.status == 0, done
    return done.out.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("plantstore st", ["store"]),
        ("plantstore store ''", ["create", "delete", "list"]),
        ("plantstore token create --ro", ["--role"]),
        ("plantstore token create --role ''", ["reader", "editor", "owner"]),
        ("plantstore token create --scope cr", ["create"]),
        ("plantstore completion ''", ["bash", "zsh", "fish"]),
    ],
)
def test_bash_offers_what_may_follow(program: Program, words: str, offered: list[str]) -> None:
    assert sorted(complete(program, words)) == sorted(offered)


@pytest.mark.parametrize(
    ("shell", "sign"),
    [("bash", "complete -o"), ("zsh", "#compdef plantstore"), ("fish", "complete --no-files")],
)
def test_each_shell_has_a_script(program: Program, shell: str, sign: str) -> None:
    script = program.out("completion", shell)
    assert sign in script
    assert "_PLANTSTORE_COMPLETE" in script


def test_bash_takes_its_script_without_a_word(program: Program) -> None:
    done = program.in_shell('eval "$(plantstore completion bash)"', shell="bash")
    assert (done.status, done.out, done.err) == (0, "", "")
