"""A store's members and tokens, as its owners see and change them over HTTP.

The functions run within a transaction of the given session, if they write. Invariants: a change is
committed only while the caller's token is valid and may manage the store; nobody gives a token more
than their own has; the store keeps an owner; no other store's rows are seen or changed.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from msgspec import Struct

from plantstore.clock import now
from plantstore.errors import (
    ForbiddenError,
    InvalidChangeError,
    InvalidTokenError,
    LastOwnerError,
    NoSuchMemberError,
    NoSuchStoreError,
    NoSuchTokenError,
    TooMuchAccessError,
)
from plantstore.model import (
    LABEL_MAX,
    SUBJECT_MAX,
    Caller,
    Member,
    Role,
    Scope,
    User,
    broken_rule,
    find_hashes_of,
    permissions_of,
    token_id_of,
)
from plantstore.sql.records import find_role, find_user, insert_user
from plantstore.sql.scopes import from_text, to_text
from plantstore.sql.session import Queries, Row, Session
from plantstore.tokens import hash_token, make_token

MAX_MEMBERS = 1000
MAX_TOKENS = 1000  # that are valid
_FOR_ALL_STORES = False  # as no token of an owner's making is


class Manager(Struct, frozen=True):
    """Who manages a store now: the user's subject, and what the token may do there."""

    subject: str
    permissions: frozenset[Scope]


class ChangedMember(Struct, frozen=True):
    """A user whose role was changed, with the one before, None for no member."""

    user: User
    before: Role | None


class StoreToken(Struct, frozen=True):
    """A valid token for one store, as its owners see it. Times as in ``model.py``."""

    token_id: str
    subject: str
    label: str
    scopes: frozenset[Scope]
    created_at: int
    expires_at: int | None
    last_used_at: int | None


class WantedToken(Struct, frozen=True):
    """A token for a member; ``scopes`` and ``label`` are None for the default ones."""

    subject: str
    scopes: frozenset[Scope] | None
    label: str | None
    expires_at: int | None


class Grant(Struct, frozen=True):
    """What a token is to be."""

    user: User
    scopes: frozenset[Scope]
    label: str
    expires_at: int | None


def require_manager(session: Queries, caller: Caller) -> Manager:
    """Who calls, as of now.

    :raises PlantStoreError: the token is not valid any more, or may not manage the store.
    """
    token = (caller.token_store_id, caller.token_hash)
    rows = session.query("find_valid_token", *token, now())
    if not rows:
        raise InvalidTokenError
    user_id, subject, scopes, all_stores = rows[0]
    role = find_role(session, caller.store_id, user_id)
    if role is None or not (all_stores or caller.token_store_id == caller.store_id):
        raise NoSuchStoreError
    permissions = permissions_of(role, from_text(scopes))
    if Scope.MANAGE not in permissions:
        raise ForbiddenError(scope=Scope.MANAGE.value)
    return Manager(subject, permissions)


def list_members(session: Queries, store_id: int) -> Sequence[Member]:
    """The store's members, by subject."""
    rows = session.query("list_members", store_id)
    return [Member(subject, Role(role)) for subject, role in rows]


def set_member(session: Session, store_id: int, subject: str, role: Role) -> ChangedMember:
    """Give a user a role in the store; a missing user is created.

    :raises PlantStoreError: it would leave no owner, or be too many members; or nobody can have
        this name.
    """
    _check_subject(subject)
    roles = _find_roles(session, store_id)
    if subject not in roles and len(roles) >= MAX_MEMBERS:
        raise TooMuchAccessError(things="members")
    if role is not Role.OWNER:
        _require_other_owner(roles, subject)
    user = find_user(session, subject) or insert_user(session, subject)
    session.query("set_member", store_id, user.user_id, role.value)
    return ChangedMember(user, roles.get(subject))


def remove_member(session: Session, store_id: int, subject: str) -> User:
    """Remove a member: the user's tokens open the store no longer.

    :raises PlantStoreError: there is no such member, or it is the last owner.
    """
    user, _ = _require_member(session, store_id, subject)
    _require_other_owner(_find_roles(session, store_id), subject)
    session.query("delete_member", store_id, user.user_id)
    return user


def list_tokens(session: Queries, store_id: int) -> Sequence[StoreToken]:
    """The valid tokens for this store alone, the oldest first."""
    return [_to_token(row) for row in session.query("list_valid_tokens", store_id, now())]


def create_token(
    session: Session, store_id: int, wanted: WantedToken, manager: Manager
) -> tuple[str, StoreToken]:
    """A new token's secret, and its record.

    :raises PlantStoreError: as ``make_grant``, or there are too many.
    """
    grant = make_grant(session, store_id, wanted, manager)
    require_room(session, store_id)
    return insert_token(session, store_id, grant)


def make_grant(session: Session, store_id: int, wanted: WantedToken, manager: Manager) -> Grant:
    """The token that a member may get from the manager.

    :raises PlantStoreError: its user is not a member, or it would allow what the role or the
        manager's own token does not.
    """
    user, role = _require_member(session, store_id, wanted.subject)
    scopes = _choose_scopes(wanted.scopes, role, manager)
    return Grant(user, scopes, _choose_label(wanted.label, manager), wanted.expires_at)


def require_room(session: Queries, store_id: int) -> None:
    """Return where the store may have another token.

    :raises TooMuchAccessError: it may not.
    """
    if len(list_tokens(session, store_id)) >= MAX_TOKENS:
        raise TooMuchAccessError(things="valid tokens")


def insert_token(session: Queries, store_id: int, grant: Grant) -> tuple[str, StoreToken]:
    """A new token's secret, and its record, without any check."""
    secret, created_at = make_token(store_id), now()
    key = (store_id, hash_token(secret))
    values = (to_text(grant.scopes), grant.label, created_at, grant.expires_at)
    session.query("insert_token", *key, grant.user.user_id, _FOR_ALL_STORES, *values)
    who = (token_id_of(key[1]), grant.user.subject, grant.label, grant.scopes)
    return secret, StoreToken(*who, created_at, grant.expires_at, None)


def revoke_token(session: Queries, store_id: int, token_id: str) -> None:
    """Revoke a token for this store alone; nothing where it was revoked before.

    :raises NoSuchTokenError: there is none with this id.
    """
    hashes = find_hashes_of(token_id)
    rows = session.query("find_tokens_of_store_between", store_id, *hashes) if hashes else ()
    if not rows:
        raise NoSuchTokenError(token_id=token_id)
    for token_hash, revoked_at in rows:
        if revoked_at is None:
            session.query("revoke_token", store_id, token_hash, now())


def _to_token(row: Row) -> StoreToken:
    token_hash, subject, label, scopes, *times = row
    return StoreToken(token_id_of(token_hash), subject, label, from_text(scopes), *times)


def _choose_scopes(
    wanted: frozenset[Scope] | None, role: Role, manager: Manager
) -> frozenset[Scope]:
    """What a token for a member with this role may do: at most what the manager's token may."""
    scopes = role.default_scopes & manager.permissions if wanted is None else wanted
    missing = scopes - manager.permissions if scopes else role.default_scopes
    if missing:
        raise ForbiddenError(scope=min(missing).value)
    if beyond := scopes - role.scopes:
        names = ", ".join(sorted(beyond))
        raise InvalidChangeError(reason=f"the role {role} does not allow: {names}")
    return scopes


def _choose_label(wanted: str | None, manager: Manager) -> str:
    """A token's label; by default it says who created it, and when, as on the command line."""
    if wanted is None:
        date = f"{datetime.now(UTC):%Y-%m-%d}"
        return f"{manager.subject[: LABEL_MAX - 1 - len(date)]} {date}"
    if wanted and (reason := broken_rule(wanted, LABEL_MAX)):
        raise InvalidChangeError(reason=f"label {reason}")
    return wanted


def _require_member(session: Session, store_id: int, subject: str) -> tuple[User, Role]:
    _check_subject(subject)
    user = find_user(session, subject)
    role = None if user is None else find_role(session, store_id, user.user_id)
    if user is None or role is None:
        raise NoSuchMemberError(subject=subject)
    return user, role


def _find_roles(session: Queries, store_id: int) -> dict[str, Role]:
    return {member.subject: member.role for member in list_members(session, store_id)}


def _require_other_owner(roles: Mapping[str, Role], subject: str) -> None:
    if [name for name, role in roles.items() if role is Role.OWNER] == [subject]:
        raise LastOwnerError(subject=subject)


def _check_subject(subject: str) -> None:
    if reason := broken_rule(subject, SUBJECT_MAX):
        raise InvalidChangeError(reason=f"the user's name {reason}")
    if "\ufffd" in subject:  # what a path has that is not UTF-8 was decoded to it
        raise InvalidChangeError(reason="the user's name is not valid UTF-8")
