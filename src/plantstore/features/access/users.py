"""Names and erasure of users."""

import re

from plantstore.core.model import DELETED_USER, User
from plantstore.sql.administration.new_tokens import label_by
from plantstore.sql.administration.records import list_stores, require_free_subject, require_user
from plantstore.sql.session import Queries, Session

_ANY_DATE = "____-__-__"


def rename_user(session: Queries, subject: str, new_subject: str) -> None:
    user = require_user(session, subject)
    require_free_subject(session, new_subject)
    session.query("rename_user", user.user_id, new_subject)


def delete_user(session: Session, user: User) -> bool:
    """Erase a user whose access has ended, in transactions of its own, also in events.

    The last transaction deletes the user's row, so the same command finishes an interrupted
    erasure. Events stay, as those of a deleted user, without the token's label, which may contain
    the name. Returns whether no old copy of the name is left in the database's files.
    """
    for store in list_stores(session):
        with session.transaction():  # wait for batches that had begun
            session.query("lock_revisions", store.store_id, store.store_id)
        _erase_in_events(session, store.store_id, user)
    with session.transaction():
        end_access(session, user)  # a token may have been created meanwhile
        session.query("delete_user", user.user_id)
    return session.drop_old_pages()


def end_access(session: Queries, user: User) -> None:
    """Delete the memberships and tokens of a user, and the user's name in labels."""
    for query in ("delete_memberships_of", "delete_tokens_of", "delete_keys_of"):
        session.query(query, user.user_id)
    for query in ("forget_user_in_tokens", "forget_user_in_links"):
        session.query(query, _labels_of(user))


def _erase_in_events(session: Session, store_id: int, user: User) -> None:
    """Erase in parts: the events are found before other writes are locked out."""
    after, whose = 0, (user.user_id, _labels_of(user))
    while rows := session.query("find_events_of", store_id, after, *whose):
        first, after = rows[0][0], rows[-1][0]
        with session.transaction():
            session.query("forget_user_in_events", store_id, first, after, *whose, DELETED_USER)


def _labels_of(user: User) -> str:
    """The pattern of the default labels of tokens that the user created."""
    name = label_by(user.subject, _ANY_DATE).removesuffix(_ANY_DATE)
    return re.sub("[!%_]", r"!\g<0>", name) + _ANY_DATE
