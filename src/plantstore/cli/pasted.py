"""Makes commands in messages ready to paste into another terminal, in any folder."""

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from plantstore.core.settings import without_password


def name_program(sentence: str) -> str:
    """The sentence with this program's path and own options in its commands in backticks."""
    if "`plantstore " not in sentence:
        return sentence
    own, _ = _separate_options(sys.argv[1:])
    return sentence.replace("`plantstore ", f"`{' '.join([find_program(), *own])} ")


def move_options(words: Sequence[str]) -> str | None:
    """The command with ``plantstore``'s own options before its name; None if they are there."""
    first, last = _separate_options(words)
    if [*first, *last] == _quote(words):
        return None
    return " ".join([find_program(), *first, *last])


def _separate_options(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """``plantstore``'s own options, and the other words, quoted.

    Passwords are not shown, since stderr often ends in a log.
    """
    first: list[str] = []
    last: list[str] = []
    remaining = iter(words)
    for word in remaining:
        name, joined, _ = word.partition("=")
        is_own = name in {"--database", "--settings", "--url", "--token-file"}
        (first if is_own else last).append(word)
        if is_own and not joined:
            first.append(next(remaining, "..."))
    return _quote(first), _quote(last)


def _quote(words: Sequence[str]) -> list[str]:
    return [shlex.quote(without_password(word)) for word in words]


def find_program() -> str:
    """The name or path by which another terminal runs this program."""
    program = sys.argv[0]
    if Path(program).name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m plantstore"
    known = shutil.which("plantstore")
    if known is not None and os.path.realpath(known) == os.path.realpath(program):
        environment = Path(sys.prefix, "bin")  # not on another terminal's path
        if not Path(known).parent.samefile(environment) or sys.prefix == sys.base_prefix:
            return "plantstore"
    return shlex.quote(str(Path(program).absolute()))
