"""Replaces a token by a new one that may do the same."""

from msgspec import UNSET, UnsetType

from plantstore.core.clock import now
from plantstore.core.errors import TokenEndedError
from plantstore.core.model import Grant
from plantstore.sql.administration.tokens import IssuedToken, Token, find_token, insert_token
from plantstore.sql.session import Queries


def rotate_token(
    session: Queries, old: Token, grace: int, expires_at: int | UnsetType | None = UNSET
) -> tuple[IssuedToken, Token]:
    """A new token with the user, store and scopes of the old one, and the old one as it is then.

    The old one is valid for ``grace`` milliseconds more at most; the new one until ``expires_at``,
    without which it is valid as long as the old one was.

    :raises TokenEndedError: the old one is not valid any more.
    """
    if not old.is_valid:
        raise TokenEndedError(token_id=old.token_id, state=old.state)
    if expires_at is UNSET:
        expires_at = old.expires_at and now() + old.expires_at - old.created_at
    grant = Grant(
        subject=old.subject,
        scopes=old.scopes,
        label=old.label,
        all_stores=old.all_stores,
        expires_at=expires_at,
    )
    issued = insert_token(session, old.store_id, old.user_id, grant)
    ends_at = now() + grace
    if old.expires_at is None or ends_at < old.expires_at:
        session.query("set_expiry", old.store_id, old.token_hash, ends_at)
    return issued, find_token(session, old.token_id)
