"""A first store with a token, for new users: shown once, on stdout, only with --welcome."""

import shlex
from contextlib import closing

import click
from msgspec.structs import replace

from plantstore.bootstrap import open_administration
from plantstore.cli.administration_log import log_change, log_token
from plantstore.cli.durations import DAY_MS
from plantstore.cli.links import make_url
from plantstore.clock import now
from plantstore.model import TokenRequest
from plantstore.settings import Settings
from plantstore.sql.administration import Administration

_STORE = "nursery"
_USER = "gardener"

_FIRST = """\
Plant Store is running at {origin}

The store {store} was created. This is a token for it, shown only once, so keep it:

  {token}

{invitation}Create a plant, list the plants and delete one here:

  curl {address}/plants -H 'Authorization: Bearer {token}' \\
    -H 'Content-Type: application/json' -d '{{"id": 1, "name": "Monstera", "tag": "tropical"}}'

  curl {address}/plants -H 'Authorization: Bearer {token}'

  curl -X DELETE {address}/plants/1 -H 'Authorization: Bearer {token}'
"""

_SIGN_IN = """\
To sign in, open this address in a browser, once and within 10 minutes:

  {url}

"""

_LATER = """\
Plant Store is running at {origin}

To create another token: plantstore token create --create --store NAME --user NAME
To sign in with a browser: plantstore link --store NAME --user NAME
"""


def welcome(settings: Settings, origin: str) -> None:
    """Show the three calls with a new token if there is no store yet, else only the address."""
    expires_at = now() + settings.token_expiry * DAY_MS
    with closing(open_administration(settings.database)) as administration:
        _welcome(administration, origin, expires_at)


def _welcome(administration: Administration, origin: str, expires_at: int) -> None:
    if administration.list_stores():
        click.echo(_LATER.format(origin=origin))
        return
    request = TokenRequest(subject=_USER, store=_STORE, label="welcome", expires_at=expires_at)
    issued = administration.create_token(request)
    log_token("serve --welcome", issued.token)
    address, invitation = origin, ""
    if origin.startswith("unix:"):  # browsers cannot connect to it
        path = shlex.quote(origin.removeprefix("unix:"))
        address = f"--unix-socket {path} http://localhost"
    else:
        # For who starts the service, and so may manage its first store.
        request = replace(request, label="welcome, by link", manages=True)
        made = administration.create_link(_STORE, request)
        log_change("serve --welcome", link=True, store=_STORE, user=_USER)
        invitation = _SIGN_IN.format(url=make_url(origin, made.code))
    fields = {"origin": origin, "store": _STORE, "token": issued.secret}
    click.echo(_FIRST.format(**fields, address=address, invitation=invitation))
