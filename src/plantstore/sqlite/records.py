"""The records of stores, users and members: found, demanded, made; parts of transactions."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from plantstore.errors import SetupError
from plantstore.model import SUBJECT_MAX, Role, Store, User, is_store_name, text_fault
from plantstore.sql.queries import load_queries
from plantstore.sqlite.connection import LOCK_PATIENCE, connect, open_lock


class Records:
    """Reads and writes single records of one file."""

    def __init__(self, path: Path) -> None:
        self._sql = load_queries("plantstore.sqlite")
        self._lock = open_lock(path)
        self.connection = connect(path)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, after every other writer and before the next."""
        with self._lock.held_within(LOCK_PATIENCE):
            try:
                self.connection.execute("BEGIN IMMEDIATE")
                yield
                self.connection.execute("COMMIT")
            except apsw.Error as error:
                self._roll_back()
                raise SetupError(f"the database cannot do this now: {error}") from error
            except BaseException:
                self._roll_back()
                raise

    def _roll_back(self) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def query(self, name: str, *arguments: object) -> apsw.Cursor:
        """Execute a named query."""
        try:
            return self.connection.execute(self._sql[name], arguments)
        except apsw.Error as error:
            raise SetupError(f"the database cannot do this now: {error}") from error

    def find_store(self, name: str) -> Store | None:
        """The store of this name."""
        row = self.query("find_store", name).fetchone() if is_store_name(name) else None
        return Store(*row) if row else None

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
        row = self.query("find_user", subject).fetchone()
        return User(*row) if row else None

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
        row = self.query("find_role", store.store_id, user.user_id).fetchone()
        return Role(row[0]) if row else None

    def set_role(self, store: Store, user: User, role: Role) -> None:
        """Make the user a member with this role."""
        self.query("set_member", store.store_id, user.user_id, role.value)

    def close(self) -> None:
        """Let the file go."""
        self.connection.close()
        self._lock.close()


def now() -> int:
    """Unix time in milliseconds."""
    return time.time_ns() // 10**6
