"""Asks for confirmation before something is deleted or replaced, unless ``--yes`` is given."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from plantstore.core.errors import SetupError


def require_name(kind: str, name: str, warning: str, *, yes: bool) -> None:
    """Return if ``--yes`` was given or the name is typed.

    :raises SetupError: another name is typed, or there is no terminal.
    """
    if yes:
        return
    question = f"{warning}\nType the name of the {kind} to delete it"
    with _requiring_answer("delete"):
        answer = click.prompt(question, default="", show_default=False, err=True)
    if answer != name:
        raise SetupError("the name does not match: nothing was deleted")


def confirm(question: str, verb: str) -> None:
    """Return if the answer is yes.

    :raises SetupError: the answer is no, or there is no terminal.
    """
    with _requiring_answer(verb):
        answer = click.confirm(question, err=True)
    if not answer:
        raise SetupError(f"nothing was {verb}d")


@contextmanager
def _requiring_answer(verb: str) -> Iterator[None]:
    try:
        yield
    except click.Abort as abort:
        if sys.stdin.isatty() or isinstance(abort.__context__, KeyboardInterrupt):
            raise
        click.echo(err=True)  # the question's line ends
        raise SetupError(
            f"stdin is not a terminal: give --yes to {verb} without confirmation"
        ) from None
