"""Erases a user: memberships, tokens, idempotency keys, and the name in events.

Invariant: the user's access ends with the first transaction, and the user's row goes with the last
one: what was interrupted is finished by the same command.
"""

from plantstore.model import DELETED_USER, User
from plantstore.sql.records import list_stores
from plantstore.sql.session import Session


def delete_user(session: Session, user: User) -> None:
    """Erase a user.

    Events stay, as those of a deleted user, without the token's label, which may be a name too.
    """
    with session.transaction():
        _take_access(session, user)
    for store in list_stores(session):
        with session.transaction():  # batches that were begun before are over then
            session.query("lock_revisions", store.store_id, store.store_id)
        _forget_in_events(session, store.store_id, user)
    with session.transaction():
        _take_access(session, user)  # a token may have been created meanwhile
        session.query("delete_user", user.user_id)


def _take_access(session: Session, user: User) -> None:
    for query in ("delete_memberships_of", "delete_tokens_of", "delete_keys_of"):
        session.query(query, user.user_id)


def _forget_in_events(session: Session, store_id: int, user: User) -> None:
    """In parts, each found before it keeps other writes out."""
    after = 0
    while rows := session.query("find_events_of", store_id, user.user_id, after):
        first, after = rows[0][0], rows[-1][0]
        with session.transaction():
            who = (user.user_id, DELETED_USER)
            session.query("forget_user_in_events", store_id, first, after, *who)
