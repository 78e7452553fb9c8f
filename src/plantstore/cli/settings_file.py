"""``--settings``, which ``serve`` imports without the options of other commands."""

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., None]


def settings_option(**attributes: Any) -> Callable[[Command], Command]:  # noqa: ANN401 - click's
    """``--settings FILE``: the command gets the ``settings_file`` of the flag."""
    explanation = "TOML file with settings; else PLANTSTORE_SETTINGS."
    return click.option(
        "--settings", "settings_file", metavar="FILE", help=explanation, **attributes
    )
