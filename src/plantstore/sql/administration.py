"""Administration for the command line: stores, users, members and tokens.

Invariant: every method is one transaction, except that a store is deleted in parts.
"""

from collections.abc import Iterator, Sequence

from plantstore.clock import now
from plantstore.errors import SetupError, TooMuchAccessError
from plantstore.model import Event, Member, NewPlant, Role, Store, TokenRequest, User, token_id_of
from plantstore.sql import access, erasure, history, links, new_tokens, records, token_records
from plantstore.sql.access import Grant
from plantstore.sql.administered import (
    IssuedToken,
    Membership,
    RotatedToken,
    Rotation,
    StoreFacts,
    Token,
)
from plantstore.sql.history import EventQuery
from plantstore.sql.links import MadeLink
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
            return records.insert_store(self._session, name, max_plants)

    def set_quota(self, name: str, max_plants: int | None) -> Store:
        """Set how many plants a store may hold, None for any number."""
        with self._session.transaction():
            store = self.require_store(name)
            self._query("set_max_plants", store.store_id, max_plants)
            return self.require_store(name)

    def list_stores(self) -> Sequence[Store]:
        """All stores, by name."""
        return records.list_stores(self._session)

    def require_store(self, name: str) -> Store:
        """The store with this name.

        :raises SetupError: there is none.
        """
        return records.require_store(self._session, name)

    def rename_store(self, name: str, new_name: str) -> None:
        """Give a store another name, which no store has."""
        with self._session.transaction():
            store = self.require_store(name)
            records.require_free_store_name(self._session, new_name)
            self._query("rename_store", store.store_id, new_name)

    def describe_store(self, name: str) -> StoreFacts:
        """A store, what it holds and what may open it."""
        store = self.require_store(name)
        (row,) = self._query("describe_store", store.store_id, now())
        return StoreFacts(store, *row)

    def delete_store(self, name: str) -> None:
        """Remove a store with its plants, events, members and tokens."""
        with self._session.transaction():
            store_id = self.require_store(name).store_id
            self._query("delete_members_of_store", store_id)  # from now on nobody has access
        are_left = True
        while are_left:  # in parts: other stores' writes get their turn
            with self._session.transaction():
                are_left = self._delete_rows(store_id)
        with self._session.transaction():
            while self._delete_rows(store_id):  # its first query keeps other writes out
                pass
            self._query("delete_store", store_id)

    def create_user(self, subject: str) -> User:
        """Create a user who is not a member of any store yet."""
        with self._session.transaction():
            return records.insert_user(self._session, subject)

    def rename_user(self, subject: str, new_subject: str) -> None:
        """Give a user another subject, which no user has."""
        with self._session.transaction():
            user = self._require_user(subject)
            records.require_free_subject(self._session, new_subject)
            self._query("rename_user", user.user_id, new_subject)

    def delete_user(self, subject: str) -> None:
        """Erase a user: access ends at once, and no event says any more who it was."""
        erasure.delete_user(self._session, self._require_user(subject))

    def list_memberships(self, subject: str) -> Sequence[Membership]:
        """The user's roles, by the store's name."""
        rows = self._query("list_memberships", self._require_user(subject).user_id)
        return [Membership(store, Role(role), owners) for store, role, owners in rows]

    def list_users(self) -> Sequence[User]:
        """All users, by subject."""
        return [User(*row) for row in self._query("list_users")]

    def add_member(
        self, store: str, subject: str, role: Role, *, keep_owners: bool = False
    ) -> Role | None:
        """Give a user a role in a store, or change it; the role before.

        With ``keep_owners`` the store's last owner stays one.
        """
        with self._session.transaction():
            found, user = self.require_store(store), self._require_user(subject)
            if keep_owners and role is not Role.OWNER:
                records.require_other_owner(self._session, found, user)
            before = records.find_role(self._session, found.store_id, user.user_id)
            records.set_role(self._session, found, user, role)
            return before

    def remove_member(self, store: str, subject: str, *, keep_owners: bool = False) -> None:
        """Remove a user from a store; the user's tokens no longer open it.

        With ``keep_owners`` not the store's last owner.
        """
        with self._session.transaction():
            found, user = self.require_store(store), self._require_user(subject)
            if records.find_role(self._session, found.store_id, user.user_id) is None:
                raise SetupError(f"{subject!r} is not a member of {store!r}")
            if keep_owners:
                records.require_other_owner(self._session, found, user)
            self._query("delete_member", found.store_id, user.user_id)

    def list_members(self, store: str) -> Sequence[Member]:
        """The store's members, by subject."""
        return access.list_members(self._session, self.require_store(store).store_id)

    def list_all_members(self) -> Sequence[tuple[str, Member]]:
        """The members of all stores, each with the store's name, by that and by subject."""
        rows = sorted(self._query("list_all_members"), key=tuple)
        return [(store, Member(subject, Role(role))) for store, subject, role in rows]

    def create_token(self, request: TokenRequest) -> IssuedToken:
        """Create a token, and a missing store, user or membership."""
        new_tokens.check_request(request)
        with self._session.transaction():
            return new_tokens.create_token(self._session, request)

    def create_link(self, store: str, request: TokenRequest) -> MadeLink:
        """Create a link whose code gives a member this token."""
        new_tokens.check_request(request)
        with self._session.transaction():
            found, user = self.require_store(store), self._require_user(request.subject)
            role = records.require_role(self._session, found, user)
            scopes = new_tokens.choose_scopes(request, role)
            grant = Grant(user, scopes, request.label, request.expires_at)
            try:
                return links.make_link(self._session, found.store_id, grant)
            except TooMuchAccessError:
                reason = f"{store} has too many unused links: wait until they expire"
                raise SetupError(reason) from None

    def find_missing(self, request: TokenRequest) -> Sequence[tuple[str, str]]:
        """What would be created with the token, such as the ``user`` with the name ``ada``."""
        return new_tokens.find_missing(self._session, request)

    def list_tokens(self, store: str | None = None, subject: str | None = None) -> Sequence[Token]:
        """The tokens made for a store, of a user, or all; the oldest first."""
        found = None if store is None else self.require_store(store)
        user = None if subject is None else self._require_user(subject)
        return token_records.list_tokens(self._session, found, user)

    def list_expiring(self, until: int, limit: int) -> Sequence[tuple[str, int]]:
        """Ids of the valid tokens that expire by a time, the first ones, and when they do."""
        rows = self._query("find_expiring_tokens", now(), until, limit)
        return [(token_id_of(token_hash), expires_at) for token_hash, expires_at in rows]

    def find_token(self, token: str) -> Token:
        """A token, given its id or the token itself."""
        return token_records.find_token(self._session, token)

    def revoke_token(self, token: str) -> Token:
        """Revoke a token, given its id or the token itself."""
        with self._session.transaction():
            return token_records.revoke_token(self._session, token)

    def rotate_token(self, token: str, rotation: Rotation) -> RotatedToken:
        """Replace a token by a new one that may do the same."""
        with self._session.transaction():
            return token_records.rotate_token(self._session, token, rotation)

    def list_events(self, store: str, query: EventQuery = EventQuery()) -> Iterator[Event]:  # noqa: B008 - frozen
        """The changes to the store's plants, by revision."""
        return history.list_events(self._session, self.require_store(store), query)

    def restore_plant(self, store: str, plant_id: int) -> NewPlant:
        """Bring back a deleted plant, as it was."""
        with self._session.transaction():
            return history.restore_plant(self._session, self.require_store(store), plant_id)

    def close(self) -> None:
        """Close the session."""
        self._session.close()

    def _delete_rows(self, store_id: int) -> bool:
        """Delete some thousand rows of each table; whether there were any.

        The revision rises: a deletion may be interrupted, and caches and entity tags depend on
        the store's revision.
        """
        deleted = [self._query(f"delete_{rows}_of_store", store_id) for rows in _STORES_ROWS]
        self._query("raise_revision", store_id, -len(deleted[0]))
        return any(deleted)

    def _require_user(self, subject: str) -> User:
        return records.require_user(self._session, subject)
