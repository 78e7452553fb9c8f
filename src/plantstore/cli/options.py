"""Options that several commands share."""

import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial, wraps
from typing import Any

import click

from plantstore.cli.administration_log import name_person
from plantstore.cli.durations import read_expiry, read_since
from plantstore.cli.output import Output
from plantstore.cli.sources import find_sources
from plantstore.core.clock import DAY_MS, now
from plantstore.core.errors import PlantStoreError
from plantstore.core.model import INT64_MAX, INT64_MIN, LABEL_MAX, Grant, Role, Scope, broken_rule
from plantstore.core.settings import Settings, load_database
from plantstore.databases import open_session, reading
from plantstore.sql.administration.new_tokens import label_by

Command = Callable[..., None]


class WholeNumber(click.IntRange):
    """A whole number in this range."""

    name = "whole number"


PLANT_ID = WholeNumber(INT64_MIN, INT64_MAX)


def passing(name: str, find: Callable[[click.Context], object]) -> Callable[[Command], Command]:
    """Pass the command what ``find`` returns; its context closes what is opened in it."""

    def decorate(command: Command) -> Command:
        @wraps(command)
        @click.pass_context
        def run(context: click.Context, /, **arguments: object) -> None:
            command(**arguments | {name: find(context)})

        return run

    return decorate


@contextmanager
def using_database(context: click.Context, *, reads: bool = False) -> Iterator[Any]:
    """Open a ``Session`` on a command's database; errors name its ``--store``.

    If the command only ``reads``, it gets ``Queries`` of the database at one moment, so that a
    backup stays unchanged.
    """
    database = load_database(find_sources())
    with reading(database) if reads else closing(open_session(database)) as session:
        try:
            yield session
        except PlantStoreError as error:
            named = {name: context.params.get(name) for name in ("store", "user")}
            error.details |= {**named, **error.details}
            raise


def _printing(name: str, find: Callable[[click.Context], object]) -> Callable[[Command], Command]:
    """Pass the command what ``find`` returns, as ``passing`` does, and an ``output``."""
    return lambda command: output_options(passing(name, find)(command))


sources_options = _printing("sources", lambda _: find_sources())
database_options = _printing("database", lambda _: load_database(find_sources()))
session_options = _printing("session", lambda it: it.with_resource(using_database(it)))
reading_options = _printing("session", lambda it: it.with_resource(using_database(it, reads=True)))


def output_options(command: Command) -> Command:
    """Add ``--json`` and ``--quiet``, and pass the command an ``output`` that follows them."""

    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    @click.option("-q", "--quiet", is_flag=True, help="Suppress informational output.")
    @wraps(command)
    def run(*, as_json: bool, quiet: bool, **arguments: object) -> None:
        command(output=Output(as_json, quiet), **arguments)

    return run


# A command adds the ``help``. With ``--yes`` it asks nothing, or does what would be refused.
yes_option = partial(click.option, "-y", "--yes", is_flag=True)
store_option = partial(click.option, "--store", metavar="NAME")
user_option = partial(click.option, "--user", metavar="NAME")
role_option = partial(click.option, "--role", type=click.Choice([role.value for role in Role]))
since_option = partial(click.option, "--since", metavar="TIME", callback=read_since)


def grant_options(command: Command) -> Command:
    """Add ``--manage``, ``--expires`` and ``--label``, and pass the command a ``grant``.

    The grant comes from all options of the command: user and store, scopes, expiry and label.
    """

    @click.option(
        "--manage",
        "manages",
        is_flag=True,
        help="Let an owner's token also manage the store's members and tokens.",
    )
    @click.option(
        "--expires",
        "expires_at",
        metavar="90d|2030-01-31|never",
        callback=_find_expiry,
        help="When the token expires: after a time in m, h, d or w, at a date (UTC), or never; by "
        "default after token_expiry days (365).",
    )
    @click.option(
        "--label",
        default=_make_label,
        help="Note that identifies the token; by default who created it, and when.",
    )
    @wraps(command)
    def run(*, user: str, **given: Any) -> None:  # noqa: ANN401 - the values of all options
        given["role"] = Role(given["role"]) if given.get("role") else None
        given["scopes"] = frozenset(map(Scope, given.get("scopes", ()))) or None
        fields = {name: given.pop(name) for name in Grant.__struct_fields__ if name in given}
        settings = find_sources().read(Settings, "max_plants")
        command(grant=Grant(user, **fields, max_plants=settings.max_plants), **given)

    return run


def _find_expiry(_context: click.Context, _option: click.Parameter, text: str | None) -> int | None:
    if text is not None:
        return read_expiry(text)
    return now() + find_sources().read(Settings, "token_expiry").token_expiry * DAY_MS


def _make_label() -> str:
    """The default label: who created the token, where and when: ``ada@till-3 2030-01-31``."""
    label = label_by(f"{name_person()}@{socket.gethostname()}")
    # Others choose these names.
    return label_by("command") if broken_rule(label, LABEL_MAX) else label
