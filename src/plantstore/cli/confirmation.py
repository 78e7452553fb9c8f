"""Asks for confirmation before something is deleted or replaced, unless ``--yes`` is given."""

import sys
from collections.abc import Callable
from functools import partial

import click

from plantstore.core.errors import SetupError


def require_name(kind: str, name: str, warning: str, *, yes: bool) -> None:
    """Return if ``--yes`` was given or the name is typed.

    :raises SetupError: another name is typed, or there is no terminal.
    """
    if yes:
        return
    question = f"{warning}\nType the name of the {kind} to delete it"
    prompt = partial(click.prompt, question, default="", show_default=False, err=True)
    if _ask(prompt, "delete") != name:
        raise SetupError("the name does not match: nothing was deleted")


def confirm(question: str, verb: str) -> None:
    """Return if the answer is yes.

    :raises SetupError: the answer is no, or there is no terminal.
    """
    if not _ask(partial(click.confirm, question, err=True), verb):
        raise SetupError(f"nothing was {verb}d")


def _ask(prompt: Callable[[], object], verb: str) -> object:
    try:
        return prompt()
    except click.Abort as abort:
        if sys.stdin.isatty() or isinstance(abort.__context__, KeyboardInterrupt):
            raise
        click.echo(err=True)  # the question's line ends
        raise SetupError(
            f"stdin is not a terminal: give --yes to {verb} without confirmation"
        ) from None
