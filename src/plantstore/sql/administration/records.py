"""Finds, requires and inserts stores, users and members by name.

Missing records that are required, and invalid names, raise the domain's errors.
"""

from collections.abc import Iterable
from itertools import islice
from shlex import quote

from plantstore.core.clock import now
from plantstore.core.errors import InvalidChangeError, NoSuchStoreError, SetupError, find_similar
from plantstore.core.model import INT64_MAX, Role, Store, User, broken_rule, is_store_name
from plantstore.sql.session import Queries

_MAX_SUBJECT = 255  # characters of a user's name
_MIN_SIMILARITY = 0.8  # of a suggested name, from 0 to 1
_COMPARED = 2000  # names; more would take seconds
_SHOWN = 20  # stores in an error


def list_stores(session: Queries) -> list[Store]:
    rows = session.query("page_of_stores", 0, INT64_MAX, INT64_MAX)
    return sorted((Store(*row) for row in rows), key=lambda store: store.name)


def find_store(session: Queries, name: str) -> Store | None:
    rows = session.query("find_store", name) if is_store_name(name) else []
    return Store(*rows[0]) if rows else None


def require_store(session: Queries, name: str) -> Store:
    """The store with this name; the error lists the first stores."""
    if (store := find_store(session, name)) is None:
        names = [store.name for store in list_stores(session)]
        shown = names[:_SHOWN] + ["..."] * (len(names) > _SHOWN)
        stores = ", ".join(shown) or "none; `plantstore store create` creates one"
        raise NoSuchStoreError(store=name, meant=find_meant(name, names), stores=stores)
    return store


def find_meant(name: str, names: Iterable[str]) -> str:
    """A similar name that was perhaps meant, in brackets; empty if there is none."""
    similar = find_similar(name, islice(names, _COMPARED), _MIN_SIMILARITY)
    return f" (did you mean {similar!r}?)" if similar else ""


def require_free_store_name(session: Queries, name: str) -> None:
    if not is_store_name(name):
        reason = "use 1 to 63 lowercase letters, digits and, between them, hyphens"
        raise InvalidChangeError(reason=f"{name!r} is not a valid store name: {reason}")
    if find_store(session, name) is not None:
        raise SetupError(f"the store {name!r} already exists: choose another name")


def insert_store(session: Queries, name: str, max_plants: int | None = None) -> Store:
    require_free_store_name(session, name)
    session.query("insert_store", name, now())
    session.query("insert_revision", name, max_plants)
    return require_store(session, name)


def list_users(session: Queries) -> list[User]:
    rows = session.query("page_of_users", 0, INT64_MAX, INT64_MAX)
    return sorted((User(*row[:2]) for row in rows), key=lambda user: user.subject)


def find_user(session: Queries, subject: str) -> User | None:
    if broken_rule(subject, _MAX_SUBJECT):  # a database may refuse it as text
        return None
    rows = session.query("find_user", subject)
    return User(*rows[0]) if rows else None


def require_user(session: Queries, subject: str) -> User:
    if (user := find_user(session, subject)) is None:
        meant = find_meant(subject, (user.subject for user in list_users(session)))
        raise SetupError(
            f"there is no user {subject!r}{meant}: `plantstore user list` shows all, `plantstore "
            f"user create {quote(subject)}` creates one"
        )
    return user


def check_subject(subject: str) -> None:
    if reason := broken_rule(subject, _MAX_SUBJECT):
        raise InvalidChangeError(reason=f"the user's name {reason}")


def require_free_subject(session: Queries, subject: str) -> None:
    check_subject(subject)
    if subject != subject.strip():  # it would look like another user's
        raise InvalidChangeError(reason="the user's name must not begin or end with white space")
    if find_user(session, subject) is not None:
        raise SetupError(f"the user {subject!r} already exists: choose another name")


def insert_user(session: Queries, subject: str) -> User:
    require_free_subject(session, subject)
    session.query("insert_user", subject, now())
    return require_user(session, subject)


def find_role(session: Queries, store_id: int, user_id: int) -> Role | None:
    rows = session.query("find_role", store_id, user_id)
    return Role(rows[0][0]) if rows else None


def set_role(
    session: Queries, store_id: int, user_id: int, role: Role, by: int | None = None
) -> None:
    """Set the user's role in the store, ``by`` another user or (None) the command line."""
    session.query("set_member", store_id, user_id, role.value, now(), by)
