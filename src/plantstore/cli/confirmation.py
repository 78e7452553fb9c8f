"""Asks before something is lost for good: the name is typed, or ``--yes`` given."""

import sys

import click

from plantstore.errors import SetupError


def require_name(kind: str, name: str, warning: str, *, yes: bool) -> None:
    """Return where ``--yes`` was given, or the name is typed.

    :raises SetupError: another answer was given, or nobody can answer.
    """
    if yes:
        return
    if _ask(f"{warning}\nType the name of the {kind} to delete it") != name:
        raise SetupError("that is not its name: nothing was deleted")


def _ask(question: str) -> str:
    try:
        answer: str = click.prompt(question, default="", show_default=False, err=True)
    except click.Abort as abort:
        if sys.stdin.isatty() or isinstance(abort.__context__, KeyboardInterrupt):
            raise
        raise SetupError(
            "stdin is not a terminal: give --yes to delete without confirmation"
        ) from None
    return answer
