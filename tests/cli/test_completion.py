"""Completion, as the help says to set it up, in bash."""

from tests.cli.program import Program
from tests.cli.test_help import EXAMPLE

COMPLETE = """
{setup}
COMP_WORDS=(plantstore {words})
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_plantstore_completion plantstore
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def complete(program: Program, setup: str, words: str) -> list[str]:
    """What bash offers for the last of the words."""
    done = program.in_shell(COMPLETE.format(setup=setup, words=words), shell="bash")
    assert (done.status, done.err) == (0, "")
    return sorted(done.out.split())


def test_bash_offers_what_may_follow(program: Program) -> None:
    (setup,) = (line for line in EXAMPLE.findall(program.out("--help")) if "COMPLETE" in line)
    assert complete(program, setup, "token ''") == ["create", "list", "revoke", "rotate"]
    assert complete(program, setup, "token create --create --ro") == ["--role"]
    assert complete(program, setup, "token create --create --role ''") == [
        "editor",
        "owner",
        "reader",
    ]
