"""Shows how to sign in: ``serve --welcome`` prints it on stdout at every start.

The first start also creates a store, its owner and a token, which is shown only then.

Invariant: a link is shown only if nobody but this machine reaches the service. For 10 minutes
whoever reads it can manage the store, and a service's output often ends in a log that others read.
If others reach the service, the command that prints a link is shown instead.
"""

import shlex
from contextlib import closing
from pathlib import Path

import click

from plantstore.cli.administration_log import changing, name_token, noting
from plantstore.cli.pasted import find_program
from plantstore.core.clock import DAY_MS, now
from plantstore.core.errors import TooMuchAccessError
from plantstore.core.model import Grant, Role
from plantstore.core.settings import Settings, without_password
from plantstore.databases import find_file, open_session
from plantstore.feature import Start
from plantstore.features.access.commands.links import make_url
from plantstore.features.access.links import create_link
from plantstore.features.access.members import list_all_members
from plantstore.sql.administration.new_tokens import create_token
from plantstore.sql.administration.records import list_stores, require_store
from plantstore.sql.session import Session

_STORE = "nursery"
_USER = "gardener"
_MAX_OWNERS = 10  # shown with a command; `store list` shows the others

_LINK = """\
To sign in to the store {store} as the user {user}, open this link in a browser, once and within
10 minutes. There you can manage members and tokens, too:

  {url}

To print another link, run in another terminal:

  {command}"""

_LINK_COMMAND = """\
To sign in, run an owner's command in another terminal, and open the link that it prints in a
browser, once and within 10 minutes. There you can manage members and tokens, too:

  {command}"""

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


def welcome(start: Start) -> None:
    settings, address = start.settings, start.address
    program = _name_service(settings)
    expires_at = now() + settings.token_expiry * DAY_MS
    parts = [f"Plant Store is running at {address}"]
    with closing(open_session(settings.database)) as session:
        secret = None if list_stores(session) else _create_store(session, expires_at)
        if secret is not None:
            parts.append(f"The store {_STORE} was created. Its owner is the user {_USER}.")
        members = list_all_members(session)
        owners = [(store, subject) for store, subject, role in members if role is Role.OWNER]
        names = [
            f"--store {store} --user {shlex.quote(user)}"
            for store, user in owners[:_MAX_OWNERS] or [("STORE", "USER")]
        ]
        if not address.startswith("unix:"):  # a browser cannot open it
            options = f"--manage --address {shlex.quote(address)}"
            command = "\n  ".join(f"{program} link create {name} {options}" for name in names)
            store, user, url = *(owners or [("", "")])[0], None
            if start.is_local and len(owners) == 1:
                url = _create_link(session, store, user, address, expires_at)
            text = _LINK_COMMAND if url is None else _LINK
            parts.append(text.format(store=store, user=user, url=url, command=command))
    if secret is None:
        parts.append(_FOR_A_PROGRAM.format(command=f"{program} token create {names[0]}"))
    else:
        path = shlex.quote(address.removeprefix("unix:"))
        is_socket = address.startswith("unix:")
        origin = f"--unix-socket {path} http://localhost" if is_socket else address
        parts.append(_CALLS.format(token=secret, address=origin))
    click.echo("\n\n".join(parts) + "\n")


def _name_service(settings: Settings) -> str:
    """The beginning of commands for the service's database, from any folder."""
    words = [find_program()]
    if settings.file:
        words += ["--settings", shlex.quote(str(Path(settings.file).absolute()))]
    if settings.database == without_password(settings.database):
        file = find_file(settings.database)
        words += ["--database", shlex.quote(f"sqlite:///{file}" if file else settings.database)]
    return " ".join(words)  # passwords stay in the settings file or PLANTSTORE_DATABASE


def _create_store(session: Session, expires_at: int) -> str:
    grant = Grant(subject=_USER, store=_STORE, label="welcome", expires_at=expires_at)
    with noting(session) as note:
        issued = create_token(session, grant)
        note("serve --welcome", **name_token(issued.token))
    return issued.secret


def _create_link(
    session: Session, store: str, user: str, address: str, expires_at: int
) -> str | None:
    """Create an address that signs the owner in, with the scope to manage the store."""
    grant = Grant(user, label="welcome, by link", expires_at=expires_at, manages=True)
    try:
        with changing(session, "serve --welcome", link=True, store=store, user=user):
            made = create_link(session, require_store(session, store).store_id, grant)
    except TooMuchAccessError:  # after 100 starts within 10 minutes
        return None
    return make_url(address, made.code)
