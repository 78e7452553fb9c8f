"""Where commands find the settings: the options of ``plantstore`` itself, and the environment."""

import os
from collections.abc import Mapping
from typing import NamedTuple

import click


class Sources(NamedTuple):
    """The arguments of ``load_settings`` and of its like."""

    flags: Mapping[str, object]
    environ: Mapping[str, str]
    file: str | None


def find_sources(context: click.Context, **flags: object) -> Sources:
    """The sources of a command with this context; ``flags`` are those of the command itself."""
    options = context.find_root().params
    return Sources({"database": options["database"], **flags}, os.environ, options["settings"])
