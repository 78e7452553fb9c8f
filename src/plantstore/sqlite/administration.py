"""The command line's side on SQLite; it may run beside serving processes."""

from collections.abc import Sequence

import apsw

from plantstore.errors import SetupError
from plantstore.model import (
    Event,
    IssuedToken,
    Member,
    NewPlant,
    Role,
    Store,
    Token,
    TokenRequest,
    User,
)
from plantstore.sqlite import tokens
from plantstore.sqlite.connection import database_path, prepare
from plantstore.sqlite.records import Records


class SQLiteAdministration:
    """Administers the file of a database URL; makes it where it is missing."""

    def __init__(self, url: str) -> None:
        self._path = database_path(url)
        prepare(self._path)
        self._records = Records(self._path)

    def create_store(self, name: str) -> Store:
        """See ``Administration``."""
        with self._records.transaction():
            if self._records.find_store(name) is not None:
                raise SetupError(f"there is a store {name!r} already: choose another name")
            return self._records.insert_store(name)

    def list_stores(self) -> Sequence[Store]:
        """See ``Administration``."""
        return [Store(*row) for row in self._records.query("list_stores")]

    def delete_store(self, name: str) -> None:
        """See ``Administration``."""
        with self._records.transaction():
            store_id = self._records.demand_store(name).store_id
            for rows in ("plants", "events", "keys"):
                self._records.query(f"delete_{rows}_of_store", store_id)
            self._records.query("delete_store", store_id)

    def create_user(self, subject: str) -> User:
        """See ``Administration``."""
        with self._records.transaction():
            if self._records.find_user(subject) is not None:
                raise SetupError(f"there is a user {subject!r} already: choose another subject")
            return self._records.insert_user(subject)

    def list_users(self) -> Sequence[User]:
        """See ``Administration``."""
        return [User(*row) for row in self._records.query("list_users")]

    def add_member(self, store: str, subject: str, role: Role) -> None:
        """See ``Administration``."""
        records = self._records
        with records.transaction():
            records.set_role(records.demand_store(store), records.demand_user(subject), role)

    def remove_member(self, store: str, subject: str) -> None:
        """See ``Administration``."""
        records = self._records
        with records.transaction():
            found_store, user = records.demand_store(store), records.demand_user(subject)
            if records.find_role(found_store, user) is None:
                raise SetupError(f"{subject!r} is no member of {store!r}")
            records.query("delete_member", found_store.store_id, user.user_id)

    def list_members(self, store: str) -> Sequence[Member]:
        """See ``Administration``."""
        rows = self._records.query("list_members", self._records.demand_store(store).store_id)
        return [Member(subject, Role(role)) for subject, role in rows]

    def create_token(self, request: TokenRequest) -> IssuedToken:
        """See ``Administration``."""
        with self._records.transaction():
            return tokens.create_token(self._records, request)

    def list_tokens(self, store: str | None) -> Sequence[Token]:
        """See ``Administration``."""
        if store is not None:
            self._records.demand_store(store)
        return tokens.list_tokens(self._records, store)

    def revoke_token(self, token: str) -> Token:
        """See ``Administration``."""
        with self._records.transaction():
            return tokens.revoke_token(self._records, token)

    def list_events(self, store: str) -> Sequence[Event]:
        """See ``Administration``."""
        rows = self._records.query("list_events", self._records.demand_store(store).store_id)
        return [
            Event(revision, kind, NewPlant(plant_id, name, tag), *rest)
            for revision, kind, plant_id, name, tag, *rest in rows
        ]

    def check(self) -> Sequence[str]:
        """See ``Administration``."""
        fault = self._records.connection.execute("PRAGMA quick_check(1)").get
        if fault != "ok":
            raise SetupError(f"{self._path} is damaged, restore a backup: {fault}")
        return [
            f"SQLite {apsw.sqlite_lib_version()} is recent enough",
            f"{self._path} is sound, and its schema is this program's",
        ]

    def close(self) -> None:
        """See ``Administration``."""
        self._records.close()
