"""What a feature can add to the core. The core knows features only by this, and imports none.

A part is a name ``module.attribute`` in the feature's folder, imported when needed: ``serve`` does
not load the commands, nor a command the code that serves.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Literal

from msgspec import Struct

from plantstore.core.settings import Settings


def load(place: str) -> Any:  # noqa: ANN401 - any part
    """Import the object at ``module.attribute`` in this package."""
    module, _, attribute = f"plantstore.{place}".rpartition(".")
    return getattr(import_module(module), attribute)


class Metric(Struct, frozen=True):
    """A metric; ``merge`` says how the workers' values of a gauge become one."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    description: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()
    merge: Literal["sum", "min", "max"] = "sum"


class Start(Struct, frozen=True, kw_only=True):
    """A service that is about to start, whose page will be at the ``address``.

    ``is_local``: only this machine can reach it. ``flags`` are the features' flags that ``serve``
    was given.
    """

    settings: Settings
    address: str
    is_local: bool
    flags: frozenset[str]


class Feature(Struct, frozen=True, kw_only=True):
    """A folder below ``features``, whose named queries every adapter loads.

    With a ``distribute.sql`` it can distribute PostgreSQL's tables: see ``postgres/connection.py``.
    ``adds_to`` is called with each process's ``App``, to add routes, observers and background work.
    ``surrounds`` is a context manager around the service, entered with its ``Start`` before workers
    are forked. ``checks`` adds results to ``plantstore check``. ``commands`` are commands by
    name. ``metrics`` are gauges whose values ``App.gauges`` gives. ``builds`` makes the
    package's files when it is built. ``settings`` is a struct like the core's ``Settings``.
    ``flags`` are options of ``serve``, with their help: a flag sets the setting of its name or,
    without such a setting, is in ``Start.flags``.
    """

    adds_to: str | None = None
    surrounds: str | None = None
    builds: str | None = None
    settings: type[Struct] | None = None
    metrics: tuple[Metric, ...] = ()
    checks: str | None = None
    commands: Mapping[str, str] = {}
    flags: Mapping[str, str] = {}
