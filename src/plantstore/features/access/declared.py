"""The token declared in the settings: it opens the store ``default`` as its owner.

Invariants: of all tokens ever declared, only the one in the settings is valid; a revoked token
stays revoked. A token that is no longer declared is expired, so it can be declared again.
"""

import logging
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from plantstore.cli.administration_log import name_token, noting
from plantstore.core.clock import now
from plantstore.core.errors import SetupError
from plantstore.core.model import Grant, Role
from plantstore.core.sources import Sources
from plantstore.core.tokens import hash_token
from plantstore.databases import open_session
from plantstore.feature import Start
from plantstore.features.access import AccessSettings
from plantstore.features.access.members import end_links
from plantstore.sql.administration import records
from plantstore.sql.administration.tokens import TokenState, insert_token, list_tokens
from plantstore.sql.session import Session

if TYPE_CHECKING:
    from plantstore.http.app import App

logger = logging.getLogger(__name__)

_STORE = "default"
_NAME = "declared"  # the token's user, and its label


@contextmanager
def surround(start: Start) -> Iterator[None]:
    """Declare the token before the first request, if the database can be reached.

    With ``--welcome``, also show how to sign in.
    """
    settings = start.settings
    if token := settings.of(AccessSettings).token:
        try:
            with closing(open_session(settings.database)) as session:
                declare(session, token, settings.max_plants)
        except SetupError as error:
            logger.error("cannot declare the token of the settings yet: %s", error)  # noqa: TRY400 - as below
    if "welcome" in start.flags:
        from plantstore.features.access.welcome import welcome  # noqa: PLC0415 - seldom

        welcome(start)
    yield


def keep_declared(app: "App") -> None:
    """Declare the token of the settings, now and at each reload."""
    settings, token = app.settings, app.settings.of(AccessSettings).token

    def declare_current(session: Session) -> None:
        nonlocal token
        try:
            token = Sources({}, os.environ, settings.file).read(AccessSettings).token
        except SetupError as error:
            logger.error("keeping the current declared token: %s", error)  # noqa: TRY400 - the reason is enough
        declare(session, token, settings.max_plants)

    app.repeat(declare_current)


def declare(session: Session, secret: str | None, max_plants: int | None) -> None:
    """Declare only this token; a missing store is created with ``max_plants``."""
    if secret is None and records.find_user(session, _NAME) is None:
        return
    with noting(session) as note:
        user = records.find_user(session, _NAME) or records.insert_user(session, _NAME)
        known = {
            (token.store_id, token.token_hash): token
            for token in list_tokens(session, user_id=user.user_id)
            if token.label == _NAME
        }
        if secret is not None:
            store = records.find_store(session, _STORE)
            store = store or records.insert_store(session, _STORE, max_plants)
            if records.find_role(session, store.store_id, user.user_id) is None:
                records.set_role(session, store.store_id, user.user_id, Role.OWNER)
            key = (store.store_id, hash_token(secret))
            token = known.pop(key, None)
            if token is None:
                grant = Grant(subject=_NAME, scopes=Role.OWNER.scopes, label=_NAME)
                made = insert_token(session, store.store_id, user.user_id, grant, secret)
                note("token declare", **name_token(made.token))
            elif token.state is TokenState.EXPIRED:
                session.query("set_expiry", *key, None)
                note("token declare", **name_token(token))
            elif token.state is TokenState.REVOKED:
                sentence = "the declared token %s was revoked: declare another token"
                logger.warning(sentence, token.token_id)
        for other in known.values():
            if other.is_valid:
                session.query("set_expiry", other.store_id, other.token_hash, now())
                end_links(session, other.store_id, user.user_id)
                sentence = "ended the declared token %s: this service's settings do not declare it"
                logger.warning(sentence, other.token_id)
                note("token end", **name_token(other))
