"""Stores, users and members by their names: found, required and inserted.

The functions run within a transaction of the given session, if they write. A wrong name is a
``SetupError`` that says what to do.
"""

from plantstore.clock import now
from plantstore.errors import SetupError
from plantstore.model import SUBJECT_MAX, Role, Store, User, broken_rule, is_store_name
from plantstore.sql.session import Queries, Session


def list_stores(session: Session) -> list[Store]:
    """All stores, by name."""
    return [Store(*row) for row in session.query("list_stores")]


def find_store(session: Session, name: str) -> Store | None:
    """The store with this name."""
    rows = session.query("find_store", name) if is_store_name(name) else []
    return Store(*rows[0]) if rows else None


def require_store(session: Session, name: str) -> Store:
    """The store with this name.

    :raises SetupError: there is none; the message names those that there are.
    """
    store = find_store(session, name)
    if store is None:
        names = ", ".join(found.name for found in list_stores(session)) or "none"
        raise SetupError(f"there is no store {name!r}; the stores are: {names}")
    return store


def require_free_store_name(session: Session, name: str) -> None:
    """Refuse a name that no store can have, or that one has.

    :raises SetupError: it cannot be given to a store.
    """
    if not is_store_name(name):
        raise SetupError(
            f"{name!r} is not a valid store name: use 1 to 63 lowercase letters, digits and, "
            "between them, hyphens"
        )
    if find_store(session, name) is not None:
        raise SetupError(f"the store {name!r} already exists: choose another name")


def insert_store(session: Session, name: str, max_plants: int | None) -> Store:
    """A new store without plants or members."""
    require_free_store_name(session, name)
    session.query("insert_store", name, now(), max_plants)
    return require_store(session, name)


def find_user(session: Session, subject: str) -> User | None:
    """The user with this subject."""
    if broken_rule(subject, SUBJECT_MAX):  # a database may not even accept it as text
        return None
    rows = session.query("find_user", subject)
    return User(*rows[0]) if rows else None


def require_user(session: Session, subject: str) -> User:
    """The user with this subject.

    :raises SetupError: there is none.
    """
    user = find_user(session, subject)
    if user is None:
        raise SetupError(f"there is no user {subject!r}: create one with `plantstore user create`")
    return user


def require_free_subject(session: Session, subject: str) -> None:
    """Refuse a subject that no user can have, or that one has.

    :raises SetupError: it cannot be given to a user.
    """
    if reason := broken_rule(subject, SUBJECT_MAX):
        raise SetupError(f"a user's subject {reason}")
    if find_user(session, subject) is not None:
        raise SetupError(f"the user {subject!r} already exists: choose another name")


def insert_user(session: Session, subject: str) -> User:
    """A new user who is not a member of any store."""
    require_free_subject(session, subject)
    session.query("insert_user", subject)
    return require_user(session, subject)


def find_role(session: Queries, store_id: int, user_id: int) -> Role | None:
    """The user's role in the store, None for no member."""
    rows = session.query("find_role", store_id, user_id)
    return Role(rows[0][0]) if rows else None


def require_role(session: Session, store: Store, user: User) -> Role:
    """The user's role in the store.

    :raises SetupError: the user is not a member.
    """
    role = find_role(session, store.store_id, user.user_id)
    if role is None:
        raise SetupError(
            f"{user.subject} is not a member of {store.name}: add one with `plantstore member add "
            f"--store {store.name} --user {user.subject} --role ROLE`"
        )
    return role


def set_role(session: Session, store: Store, user: User, role: Role) -> None:
    """Give the user this role in the store."""
    session.query("set_member", store.store_id, user.user_id, role.value)


def require_other_owner(session: Session, store: Store, user: User) -> None:
    """Refuse to take the last owner from a store.

    :raises SetupError: the user is the store's only owner.
    """
    rows = session.query("list_members", store.store_id)
    owners = [subject for subject, role in rows if role == Role.OWNER.value]
    if owners == [user.subject]:
        raise SetupError(
            f"{user.subject} is the last owner of {store.name}: make another one first with "
            f"`plantstore member add --store {store.name} --role owner --user NAME`, or give --yes"
        )
