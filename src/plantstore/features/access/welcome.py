"""The way in, which ``serve --welcome`` shows on stdout at every start.

The first start creates a store, its owner and a token, which is shown only then. A later one signs
the store's owner in; where there are several, it has the command for each.

Invariant: a link is shown only if nobody but this machine reaches the service. For 10 minutes it
lets whoever reads it manage the store, and what a service prints often ends in a log that others
read. So where others reach the service too, it shows the command that prints a link.
"""

import shlex
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

import click

from plantstore.cli.administration_log import changing, name_token, noting
from plantstore.cli.durations import DAY_MS
from plantstore.cli.pasted import find_program
from plantstore.core.clock import now
from plantstore.core.errors import SetupError, TooMuchAccessError
from plantstore.core.model import Grant, Role, Store
from plantstore.core.settings import load_database, without_password
from plantstore.core.sources import Sources
from plantstore.databases import open_session
from plantstore.feature import Start
from plantstore.features.access.address import find_address
from plantstore.features.access.commands.links import make_url
from plantstore.features.access.links import create_link
from plantstore.features.access.members import list_all_members
from plantstore.sql.administration.new_tokens import create_token
from plantstore.sql.administration.records import list_stores, require_store
from plantstore.sql.session import Session

_STORE = "nursery"
_USER = "gardener"
_MAX_OWNERS = 10
_SQLITE = "sqlite:///"

Owner = tuple[str, str]  # the store's name and the user's

_LINK = """\
To sign in to the store {store} as the user {user}, open this link in a browser, once and within
10 minutes. There you can manage members and tokens, too:

  {url}

To print another link, run in another terminal:

  {command}"""

_LINK_COMMANDS = """\
To sign in, run {which} in another terminal, and open the link that it prints in a
browser, once and within 10 minutes. There you can manage members and tokens, too:

  {commands}"""

_CALLS = """\
This is a token for programs, shown only once, so keep it. It can create, list, update and delete
plants, but cannot manage members and tokens:

  {token}

Create a plant, list the plants and delete one:

  curl {address}/plants -H 'Authorization: Bearer {token}' \\
    -H 'Content-Type: application/json' -d '{{"id": 1, "name": "Monstera", "tag": "tropical"}}'

  curl {address}/plants -H 'Authorization: Bearer {token}'

  curl -X DELETE {address}/plants/1 -H 'Authorization: Bearer {token}'"""

_FOR_A_PROGRAM = """\
To create a token for a program, run:

  {command}"""

_WITHOUT_OWNER = """\
No store has an owner. To create one, with a token, run this with the owner's name:

  {command}"""


def _name_service(database: str, file: str | None) -> str:
    """How commands for the database of a service begin.

    The options name the database, as far as the program would not find it by itself.
    """
    options = f" --settings {shlex.quote(str(Path(file).absolute()))}" if file else ""
    if database.startswith(_SQLITE):
        path = Path(database.removeprefix(_SQLITE)).expanduser().absolute()
        database = f"{_SQLITE}{path}"
    is_found = False
    with suppress(SetupError):  # this user has no home directory, and so no default
        is_found = database == load_database(Sources({}, {}, file))
    if not is_found:
        # A password must not be on the screen.
        is_secret = database != without_password(database)
        named = '"$PLANTSTORE_DATABASE"' if is_secret else shlex.quote(database)
        options += f" --database {named}"
    return find_program() + options


def welcome(start: Start) -> None:
    """Print the way in to the service."""
    settings, address = start.settings, start.address
    program = _name_service(settings.database, settings.file)
    expires_at = now() + settings.token_expiry * DAY_MS
    with closing(open_session(settings.database)) as session:
        parts = [f"Plant Store is running at {address}"]
        stores = list_stores(session)
        if not stores:
            token = _create_store(session, expires_at)
            parts.append(f"The store {_STORE} was created. Its owner is the user {_USER}.")
        owners = [
            (store, member.subject)
            for store, member in list_all_members(session)
            if member.role is Role.OWNER
        ]
        if owners and not address.startswith("unix:"):  # which no browser opens
            url = None
            if start.is_local and len(owners) == 1:
                url = _create_link(session, owners[0], address, expires_at)
            is_found = find_address(settings.database) == address
            option = "" if is_found else f" --address {shlex.quote(address)}"
            parts.append(_explain_sign_in(url, owners, program, option))
    parts.append(
        _explain_tokens(stores, owners, program) if stores else _explain_calls(token, address)
    )
    click.echo("\n\n".join(parts) + "\n")


def _create_store(session: Session, expires_at: int) -> str:
    """The token of the first store's owner."""
    grant = Grant(subject=_USER, store=_STORE, label="welcome", expires_at=expires_at)
    with noting(session) as note:
        issued = create_token(session, grant)
        note("serve --welcome", **name_token(issued.token))
    return issued.secret


def _create_link(session: Session, owner: Owner, address: str, expires_at: int) -> str | None:
    """An address that signs the owner in, and lets the owner manage the store."""
    (store, user), label = owner, "welcome, by link"
    grant = Grant(subject=user, label=label, expires_at=expires_at, manages=True)
    try:
        with changing(session, "serve --welcome", link=True, store=store, user=user):
            made = create_link(session, require_store(session, store).store_id, grant)
    except TooMuchAccessError:  # after 100 starts within 10 minutes
        return None
    return make_url(address, made.code)


def _explain_sign_in(url: str | None, owners: Sequence[Owner], program: str, option: str) -> str:
    """How to sign in: by the link, or by commands, which have the ``option``."""
    lines = [
        f"{program} link create --store {store} --user {shlex.quote(user)} --manage{option}"
        for store, user in owners[:_MAX_OWNERS]
    ]
    if url is not None:
        store, user = owners[0]
        return _LINK.format(store=store, user=user, url=url, command=lines[0])
    which = "this command" if len(owners) == 1 else "one of these commands"
    if len(owners) > _MAX_OWNERS:
        lines.append(f"and {len(owners) - _MAX_OWNERS} more: {program} store list")
    return _LINK_COMMANDS.format(which=which, commands="\n  ".join(lines))


def _explain_calls(token: str, address: str) -> str:
    """The first token, and the three calls with it."""
    if address.startswith("unix:"):
        path = shlex.quote(address.removeprefix("unix:"))
        address = f"--unix-socket {path} http://localhost"
    return _CALLS.format(token=token, address=address)


def _explain_tokens(stores: Sequence[Store], owners: Sequence[Owner], program: str) -> str:
    if owners:
        store, user = owners[0]
        command = f"{program} token create --store {store} --user {shlex.quote(user)}"
        return _FOR_A_PROGRAM.format(command=command)
    command = f"{program} token create --store {stores[0].name} --role owner --user NAME"
    return _WITHOUT_OWNER.format(command=command)
