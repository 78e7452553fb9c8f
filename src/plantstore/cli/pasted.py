"""Makes commands in messages ready to paste into another terminal, in any folder."""

import os
import shlex
import shutil
import sys
from pathlib import Path

from plantstore.core.settings import without_password

_OWN = ("--database", "--settings", "--url", "--token-file")


def name_program(sentence: str) -> str:
    """The sentence with this program's path and own options in its commands in backticks.

    Passwords are not shown, since stderr often ends in a log.
    """
    if "`plantstore " not in sentence:
        return sentence
    own, _ = separate_options()
    quoted = [shlex.quote(without_password(word)) for word in own]
    return sentence.replace("`plantstore ", f"`{' '.join([find_program(), *quoted])} ")


def separate_options() -> tuple[list[str], list[str]]:
    """``plantstore``'s own options, wherever they stand, and the command line's other words."""
    first: list[str] = []
    last: list[str] = []
    remaining = sys.argv[1:]
    while remaining:
        word = remaining.pop(0)
        name, joined, _ = word.partition("=")
        is_own = name in _OWN and bool(joined or remaining)
        (first if is_own else last).append(word)
        if is_own and not joined:
            first.append(remaining.pop(0))
        elif word == "--":
            return first, last + remaining
    return first, last


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
