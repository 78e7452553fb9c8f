"""The records of stores, users and members: found, demanded, made; parts of transactions."""

import time

from plantstore.errors import SetupError
from plantstore.model import SUBJECT_MAX, Role, Store, User, is_store_name, text_fault
from plantstore.sql.session import Session


class Records:
    """Reads and writes single records through a session."""

    def __init__(self, session: Session) -> None:
        self.query = session.query

    def find_store(self, name: str) -> Store | None:
        """The store of this name."""
        rows = self.query("find_store", name) if is_store_name(name) else []
        return Store(*rows[0]) if rows else None

    def demand_store(self, name: str) -> Store:
        """The store of this name, which must be there."""
        store = self.find_store(name)
        if store is None:
            names = ", ".join(row[1] for row in self.query("list_stores")) or "none"
            raise SetupError(f"there is no store {name!r}; there are: {names}")
        return store

    def insert_store(self, name: str) -> Store:
        """A new store."""
        if not is_store_name(name):
            raise SetupError(
                f"{name!r} cannot name a store: use 1 to 63 small letters, digits and, "
                "between them, hyphens"
            )
        self.query("insert_store", name, now())
        return self.demand_store(name)

    def find_user(self, subject: str) -> User | None:
        """The user with this subject."""
        if text_fault(subject, SUBJECT_MAX):  # it may not even be text that a database takes
            return None
        rows = self.query("find_user", subject)
        return User(*rows[0]) if rows else None

    def demand_user(self, subject: str) -> User:
        """The user with this subject, which must be there."""
        user = self.find_user(subject)
        if user is None:
            raise SetupError(
                f"there is no user {subject!r}: make one with `plantstore user create`"
            )
        return user

    def insert_user(self, subject: str) -> User:
        """A new user."""
        if fault := text_fault(subject, SUBJECT_MAX):
            raise SetupError(f"a user's subject {fault}")
        self.query("insert_user", subject)
        return self.demand_user(subject)

    def find_role(self, store: Store, user: User) -> Role | None:
        """The user's role in the store."""
        rows = self.query("find_role", store.store_id, user.user_id)
        return Role(rows[0][0]) if rows else None

    def set_role(self, store: Store, user: User, role: Role) -> None:
        """Make the user a member with this role."""
        self.query("set_member", store.store_id, user.user_id, role.value)


def now() -> int:
    """Unix time in milliseconds."""
    return time.time_ns() // 10**6
