"""The administration of the tests, with the operations of the access feature."""

from typing import Any

from plantstore.core.clock import now
from plantstore.core.database import Row
from plantstore.core.model import Grant, Role
from plantstore.features.access import links, members
from plantstore.features.access.commands import stores, users
from plantstore.features.access.links import Link
from plantstore.sql.administration import records
from plantstore.sql.session import Session
from tests import administration
from tests.administration import changing, id_of, open_test_session, reading


def open_administration(url: str) -> "Administration":
    return Administration(open_test_session(url))


def remove_member(session: Session, store: str, subject: str) -> None:
    members.remove_member(session, id_of(session, store), subject, keep_owner=False)


def add_member(session: Session, store: str, subject: str, role: Role) -> Role | None:
    store_id, user = id_of(session, store), records.require_user(session, subject)
    return members.set_member(session, store_id, user, role, keep_owner=False)


def create_link(session: Session, store: str, grant: Grant) -> Link:
    return links.create_link(session, id_of(session, store), grant)


def delete_store(session: Session, store: str) -> None:
    with session.transaction():
        store_id = stores.close_store(session, store)
    stores.delete_store(session, store_id)


def measure_store(session: Session, store_id: int) -> Row:
    (row,) = session.query("describe_store", store_id, now())
    return row


def rename_user(session: Session, subject: str, new_subject: str) -> None:
    user = records.require_user(session, subject)
    users.rename_labels(session, user, new_subject)
    with session.transaction():
        session.query("rename_user", user.user_id, new_subject)


def delete_user(session: Session, subject: str) -> bool:
    user = records.require_user(session, subject)
    with session.transaction():
        users.end_access(session, user)
    return users.erase_user(session, user)


class Administration(administration.Administration):
    """Administers a database through a session, as commands and owners do."""

    measure_store = reading(measure_store)
    delete_store: Any = reading(delete_store)
    delete_user = reading(delete_user)
    rename_user = reading(rename_user)
    add_member: Any = changing(add_member)
    remove_member: Any = changing(remove_member)
    create_link = changing(create_link)
