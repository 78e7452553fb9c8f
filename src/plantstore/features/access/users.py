"""Names and erasure of users."""

import re

from plantstore.core.model import DELETED_USER, User
from plantstore.sql.administration.new_tokens import begin_label
from plantstore.sql.administration.records import list_stores
from plantstore.sql.session import Queries, Session


def rename_labels(session: Session, user: User, new_subject: str) -> None:
    """Rename a user in default labels, also of events, in transactions of its own.

    Do it before the user is renamed, so that the same command finishes an interrupted renaming.
    """
    labels = _find_labels(user, begin_label(new_subject))
    with session.transaction():
        _relabel_tokens(session, labels)
    _relabel_events(session, labels)


def delete_user(session: Session, user: User) -> bool:
    """Erase a user whose access has ended, in transactions of its own, also in events.

    The last transaction deletes the user's row, so the same command finishes an interrupted
    erasure. Events stay, as those of a deleted user, without the token's label, which may contain
    the name. Returns whether no old copy of the name is left in the database's files.
    """
    _relabel_events(session, _find_labels(user), user.user_id)
    with session.transaction():
        end_access(session, user)  # a token may have been created meanwhile
        session.query("delete_user", user.user_id)
    return session.drop_old_pages()


def end_access(session: Queries, user: User) -> None:
    """Delete the memberships and tokens of a user, and the user's name in labels."""
    for query in ("delete_memberships_of", "delete_tokens_of", "delete_keys_of"):
        session.query(query, user.user_id)
    _relabel_tokens(session, _find_labels(user))


def _relabel_tokens(session: Queries, labels: tuple[str, str]) -> None:
    for query in ("relabel_tokens", "relabel_links"):
        session.query(query, *labels)


def _relabel_events(session: Session, labels: tuple[str, str], deleted: int | None = None) -> None:
    """Relabel in parts: the events are found before other writes are locked out."""
    for store in list_stores(session):
        with session.transaction():  # wait for batches that had begun
            session.query("lock_revisions", store.store_id, store.store_id)
        after, whose = 0, (deleted, labels[0])
        while rows := session.query("find_events_of", store.store_id, after, *whose):
            first, after = rows[0][0], rows[-1][0]
            values = (first, after, deleted, *labels, DELETED_USER)
            with session.transaction():
                session.query("relabel_events", store.store_id, *values)


def _find_labels(user: User, new_beginning: str = "") -> tuple[str, str]:
    """The pattern of default labels with the user's name, and what replaces the name in them."""
    return re.sub("[!%_]", r"!\g<0>", begin_label(user.subject)) + "____-__-__", new_beginning
