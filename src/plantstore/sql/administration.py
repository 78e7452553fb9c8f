"""Administration for the command line: stores, users, members and tokens.

Invariant: every method is one transaction, except that a store is deleted in parts.
"""

from collections.abc import Iterator, Sequence

from plantstore.clock import now
from plantstore.errors import SetupError
from plantstore.model import (
    EXPIRY_MAX,
    LABEL_MAX,
    SUBJECT_MAX,
    Event,
    IssuedToken,
    Member,
    NewPlant,
    Role,
    Scope,
    Store,
    Token,
    TokenRequest,
    User,
    broken_rule,
    is_store_name,
)
from plantstore.sql import history, token_records
from plantstore.sql.history import EventQuery
from plantstore.sql.session import Session

_STORES_ROWS = ("plants", "events", "keys")


class Administration:
    """Administers the database of a session, which it closes.

    A wrong request is a ``SetupError`` that says what to do.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._query = session.query

    def create_store(self, name: str, max_plants: int | None = None) -> Store:
        """Create a store without plants or members; it may hold ``max_plants`` plants."""
        with self._session.transaction():
            if self._find_store(name) is not None:
                raise SetupError(f"the store {name!r} already exists: choose another name")
            return self._insert_store(name, max_plants)

    def set_quota(self, name: str, max_plants: int | None) -> Store:
        """Set how many plants a store may hold, None for any number."""
        with self._session.transaction():
            store = self._require_store(name)
            self._query("set_max_plants", store.store_id, max_plants)
            return self._require_store(name)

    def list_stores(self) -> Sequence[Store]:
        """All stores, by name."""
        return [Store(*row) for row in self._query("list_stores")]

    def delete_store(self, name: str) -> None:
        """Remove a store with its plants, events, members and tokens."""
        with self._session.transaction():
            store_id = self._require_store(name).store_id
            self._query("delete_members_of_store", store_id)  # from now on nobody has access
        while self._delete_part(store_id):
            pass  # other stores' writes get their turn
        with self._session.transaction():
            while self._delete_rows(store_id):  # its first query keeps other writes out
                pass
            self._query("delete_store", store_id)

    def create_user(self, subject: str) -> User:
        """Create a user who is not a member of any store yet."""
        with self._session.transaction():
            if self._find_user(subject) is not None:
                raise SetupError(f"the user {subject!r} already exists: choose another name")
            return self._insert_user(subject)

    def list_users(self) -> Sequence[User]:
        """All users, by subject."""
        return [User(*row) for row in self._query("list_users")]

    def add_member(self, store: str, subject: str, role: Role) -> None:
        """Give a user a role in a store, or change it."""
        with self._session.transaction():
            self._set_role(self._require_store(store), self._require_user(subject), role)

    def remove_member(self, store: str, subject: str) -> None:
        """Remove a user from a store; the user's tokens no longer open it."""
        with self._session.transaction():
            found_store, user = self._require_store(store), self._require_user(subject)
            if self._find_role(found_store, user) is None:
                raise SetupError(f"{subject!r} is not a member of {store!r}")
            self._query("delete_member", found_store.store_id, user.user_id)

    def list_members(self, store: str) -> Sequence[Member]:
        """The store's members, by subject."""
        rows = self._query("list_members", self._require_store(store).store_id)
        return [Member(subject, Role(role)) for subject, role in rows]

    def create_token(self, request: TokenRequest) -> IssuedToken:
        """Create a token, and a missing store, user or membership."""
        _check(request)
        made: list[str] = []
        with self._session.transaction():
            user = self._find_user(request.subject)
            if user is None:
                user = self._insert_user(request.subject)
                made.append(f"created the user {user.subject}")
            store, role = self._join(request, user, made)
            scopes = _choose_scopes(request.scopes, role)
            inserted = token_records.insert_token(self._session, store, user, request, scopes)
        return IssuedToken(*inserted, tuple(made))

    def list_tokens(self, store: str | None) -> Sequence[Token]:
        """The tokens made for a store, or all; the oldest first."""
        found = None if store is None else self._require_store(store)
        return token_records.list_tokens(self._session, found)

    def revoke_token(self, token: str) -> Token:
        """Revoke a token, given its id or the token itself."""
        with self._session.transaction():
            return token_records.revoke_token(self._session, token)

    def list_events(self, store: str, query: EventQuery = EventQuery()) -> Iterator[Event]:  # noqa: B008 - frozen
        """The changes to the store's plants, by revision."""
        return history.list_events(self._session, self._require_store(store), query)

    def restore_plant(self, store: str, plant_id: int) -> NewPlant:
        """Bring back a deleted plant, as it was."""
        with self._session.transaction():
            return history.restore_plant(self._session, self._require_store(store), plant_id)

    def close(self) -> None:
        """Close the session."""
        self._session.close()

    def _delete_part(self, store_id: int) -> bool:
        with self._session.transaction():
            return self._delete_rows(store_id)

    def _delete_rows(self, store_id: int) -> bool:
        """Delete some thousand rows of each table; whether there were any.

        The revision rises: a deletion may be interrupted, and caches and entity tags depend on
        the store's revision.
        """
        deleted = [self._query(f"delete_{rows}_of_store", store_id) for rows in _STORES_ROWS]
        self._query("raise_revision", store_id, -len(deleted[0]))
        return any(deleted)

    def _join(self, request: TokenRequest, user: User, made: list[str]) -> tuple[Store, Role]:
        """The token's store, and the user's role there."""
        if request.store is not None:
            store, role = self._join_store(request, request.store, user, made)
        if request.store is None or request.all_stores:
            # The role in each store bounds what the token may do there.
            return self._require_first_store(user), Role.OWNER
        return store, role

    def _join_store(
        self, request: TokenRequest, name: str, user: User, made: list[str]
    ) -> tuple[Store, Role]:
        """The store and the user's role in it; a new store's first member owns it."""
        store, default, wanted = self._find_store(name), Role.EDITOR, request.role
        if store is None:
            store, default = self._insert_store(name, request.max_plants), Role.OWNER
            made.append(f"created the store {store.name}")
        role = self._find_role(store, user)
        if role is None:
            role = wanted or default
            self._set_role(store, user, role)
            made.append(f"made {user.subject} {role} of {store.name}")
        elif wanted not in (None, role):
            raise SetupError(
                f"{user.subject} is already {role} of {store.name}: change that with `plantstore "
                f"member add --store {store.name} --user {user.subject} --role {wanted}`"
            )
        return store, role

    def _find_store(self, name: str) -> Store | None:
        rows = self._query("find_store", name) if is_store_name(name) else []
        return Store(*rows[0]) if rows else None

    def _require_store(self, name: str) -> Store:
        store = self._find_store(name)
        if store is None:
            names = ", ".join(found.name for found in self.list_stores()) or "none"
            raise SetupError(f"there is no store {name!r}; the stores are: {names}")
        return store

    def _require_first_store(self, user: User) -> Store:
        rows = self._query("find_first_store", user.user_id)
        if not rows:
            raise SetupError(f"{user.subject} is not a member of any store: name one with --store")
        return Store(*rows[0])

    def _insert_store(self, name: str, max_plants: int | None) -> Store:
        if not is_store_name(name):
            raise SetupError(
                f"{name!r} is not a valid store name: use 1 to 63 lowercase letters, digits and, "
                "between them, hyphens"
            )
        self._query("insert_store", name, now(), max_plants)
        return self._require_store(name)

    def _find_user(self, subject: str) -> User | None:
        if broken_rule(subject, SUBJECT_MAX):  # a database may not even accept it as text
            return None
        rows = self._query("find_user", subject)
        return User(*rows[0]) if rows else None

    def _require_user(self, subject: str) -> User:
        user = self._find_user(subject)
        if user is None:
            raise SetupError(
                f"there is no user {subject!r}: create one with `plantstore user create`"
            )
        return user

    def _insert_user(self, subject: str) -> User:
        if reason := broken_rule(subject, SUBJECT_MAX):
            raise SetupError(f"a user's subject {reason}")
        self._query("insert_user", subject)
        return self._require_user(subject)

    def _find_role(self, store: Store, user: User) -> Role | None:
        rows = self._query("find_role", store.store_id, user.user_id)
        return Role(rows[0][0]) if rows else None

    def _set_role(self, store: Store, user: User, role: Role) -> None:
        self._query("set_member", store.store_id, user.user_id, role.value)


def _check(request: TokenRequest) -> None:
    if request.label and (reason := broken_rule(request.label, LABEL_MAX)):
        raise SetupError(f"a token's label {reason}")
    if request.expires_at is not None and not 0 <= request.expires_at <= EXPIRY_MAX:
        raise SetupError("a token's expiry must be from 1970 to 9999")


def _choose_scopes(wanted: frozenset[Scope] | None, role: Role) -> frozenset[Scope]:
    if wanted is None:
        return role.scopes
    if beyond := wanted - role.scopes:
        raise SetupError(f"the role {role} does not allow: {', '.join(sorted(beyond))}")
    return wanted
