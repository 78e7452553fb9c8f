"""The command line's side: stores, users, members and tokens, alike on every database."""

from collections.abc import Sequence

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
from plantstore.sql import tokens
from plantstore.sql.records import Records
from plantstore.sql.session import Session

_STORES_ROWS = ("plants", "events", "keys")


class SQLAdministration:
    """Administers the database of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._records = Records(session)

    def create_store(self, name: str) -> Store:
        """See ``Administration``."""
        with self._session.transaction():
            if self._records.find_store(name) is not None:
                raise SetupError(f"there is a store {name!r} already: choose another name")
            return self._records.insert_store(name)

    def list_stores(self) -> Sequence[Store]:
        """See ``Administration``."""
        return [Store(*row) for row in self._records.query("list_stores")]

    def delete_store(self, name: str) -> None:
        """See ``Administration``."""
        with self._session.transaction():
            store_id = self._records.demand_store(name).store_id
            self._session.query("delete_members_of_store", store_id)  # from now on nobody gets in
        while self._delete_part(store_id):
            pass  # other stores' writes get their turn
        with self._session.transaction():
            while self._delete_rows(store_id):  # from the first one on no write comes between
                pass
            self._session.query("delete_store", store_id)

    def _delete_part(self, store_id: int) -> bool:
        with self._session.transaction():
            return self._delete_rows(store_id)

    def _delete_rows(self, store_id: int) -> bool:
        """Delete some thousand rows of each table; whether there were any.

        The revision rises: a deletion may be interrupted, and what the store had at a revision
        stands in memories and in entity tags.
        """
        query = self._session.query
        query("raise_revision", store_id)
        deleted = [query(f"delete_{rows}_of_store", store_id) for rows in _STORES_ROWS]
        return any(deleted)

    def create_user(self, subject: str) -> User:
        """See ``Administration``."""
        with self._session.transaction():
            if self._records.find_user(subject) is not None:
                raise SetupError(f"there is a user {subject!r} already: choose another subject")
            return self._records.insert_user(subject)

    def list_users(self) -> Sequence[User]:
        """See ``Administration``."""
        return [User(*row) for row in self._records.query("list_users")]

    def add_member(self, store: str, subject: str, role: Role) -> None:
        """See ``Administration``."""
        records = self._records
        with self._session.transaction():
            records.set_role(records.demand_store(store), records.demand_user(subject), role)

    def remove_member(self, store: str, subject: str) -> None:
        """See ``Administration``."""
        records = self._records
        with self._session.transaction():
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
        with self._session.transaction():
            return tokens.create_token(self._records, request)

    def list_tokens(self, store: str | None) -> Sequence[Token]:
        """See ``Administration``."""
        if store is not None:
            self._records.demand_store(store)
        return tokens.list_tokens(self._records, store)

    def revoke_token(self, token: str) -> Token:
        """See ``Administration``."""
        with self._session.transaction():
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
        return self._session.check()

    def close(self) -> None:
        """See ``Administration``."""
        self._session.close()
