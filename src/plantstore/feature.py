"""What a feature adds to the core, which knows features only by this and imports none.

A part is named as ``module.attribute`` within the feature's folder, and imported when it is needed:
``serve`` starts without the commands, and a command without what serves.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Literal

from msgspec import Struct

from plantstore.core.settings import Settings


class Metric(Struct, frozen=True):
    """One metric; ``merge`` makes one value of a gauge out of those of all workers."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    description: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()
    merge: Literal["sum", "min", "max"] = "sum"


class Start(Struct, frozen=True, kw_only=True):
    """A service that is about to begin, whose page is at the ``address``.

    It ``is_local`` if nobody but this machine reaches it. ``flags`` are those of features that
    ``serve`` was given.
    """

    settings: Settings
    address: str
    is_local: bool
    flags: frozenset[str]


class Feature(Struct, frozen=True, kw_only=True):
    """A folder below ``features``, whose SQL every database has.

    With a ``distribute.sql`` it can distribute PostgreSQL's tables: see ``postgres/connection.py``.
    ``adds_to`` is called with each process's ``App``, and adds routes, observers and work beside
    requests. ``surrounds`` is a context manager around the service, entered with its ``Start``
    before workers are forked. ``checks`` gives further results of ``plantstore check``, of the
    settings. ``commands`` are those of the command line, by name. The ``metrics``
    are gauges, of which the application has the values. ``builds`` makes the files that the package
    has of it, when it is built. ``settings`` are its own, a struct such as the core's ``Settings``.
    ``flags`` are options of ``serve``, with their help: one gives the setting of its name, or else
    is among the ``flags`` of a ``Start``.
    """

    name: str
    adds_to: str | None = None
    surrounds: str | None = None
    builds: str | None = None
    settings: type[Struct] | None = None
    metrics: tuple[Metric, ...] = ()
    checks: str | None = None
    commands: Mapping[str, str] = {}
    flags: Mapping[str, str] = {}

    def load(self, part: str) -> Any:  # noqa: ANN401 - any part
        module, _, attribute = f"plantstore.features.{self.name}.{part}".rpartition(".")
        return getattr(import_module(module), attribute)
