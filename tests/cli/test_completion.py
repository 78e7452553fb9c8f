"""Completion, as the help says to set it up, in bash."""

from pathlib import Path

from tests.cli.program import CREATE, Program
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


def test_bash_offers_the_values_that_there_are(program: Program) -> None:
    setup = 'eval "$(_PLANTSTORE_COMPLETE=bash_source plantstore)"'
    program.make_store("orchard")
    made, gone = (program.data(*CREATE[:-1], user)["id"] for user in ("ada", "eve"))
    program.out("token", "revoke", gone)
    assert complete(program, setup, "token list --store ''") == ["nursery", "orchard"]
    assert complete(program, setup, "token list --store n") == ["nursery"]
    assert complete(program, setup, "token list --user ''") == ["ada", "eve"]
    assert complete(program, setup, "token revoke ''") == [made]
    url = program.environ.pop("PLANTSTORE_DATABASE")
    assert complete(program, setup, "token list --store n") == []
    # A colon ends a word of bash, unless it is quoted.
    assert complete(program, setup, f"--database '{url}' token list --store n") == ["nursery"]
    assert complete(program, setup, "settings show token_") == ["token_expiry"]


def test_completion_creates_nothing_and_is_silent(tmp_path: Path) -> None:
    setup = 'eval "$(_PLANTSTORE_COMPLETE=bash_source plantstore)"'
    program = Program(tmp_path, {"PLANTSTORE_PROT": "1"})
    assert complete(program, setup, "token list --store ''") == []
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]
    (tmp_path / "plants.db").write_text("no database")
    (tmp_path / "plants.db").chmod(0o644)
    assert complete(program, setup, "token list --store ''") == []
    assert (tmp_path / "plants.db").read_text() == "no database"
