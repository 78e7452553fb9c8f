"""The members of a store and their roles, and the limits of what members are given."""

from plantstore.core.clock import now
from plantstore.core.errors import LastOwnerError, NoSuchMemberError, TooMuchAccessError
from plantstore.core.model import Grant, Role, Scope, User
from plantstore.sql.administration.new_tokens import limit_grant
from plantstore.sql.administration.records import check_subject, find_role, find_user, set_role
from plantstore.sql.session import Queries, Session

MAX_TOKENS = 1000  # valid ones


def list_all_members(session: Queries) -> list[tuple[str, str, Role]]:
    """The members of all stores: store, subject and role, sorted by store and subject."""
    rows = session.query("list_all_members")
    return [(store, subject, Role(role)) for store, subject, role in rows]


def require_member(session: Queries, store_id: int, subject: str) -> tuple[User, Role]:
    """A member and their role.

    :raises PlantStoreError: the store has no such member, or the name is invalid.
    """
    check_subject(subject)
    user = find_user(session, subject)
    if user is None or (role := find_role(session, store_id, user.user_id)) is None:
        raise NoSuchMemberError(subject=subject)
    return user, role


def set_member(
    session: Session,
    store_id: int,
    user: User,
    role: Role,
    by: int | None = None,
    *,
    keep_owner: bool = True,
) -> Role | None:
    """Give a user a role in a store; returns the previous role. A lower role ends links.

    If the roles are the same, nothing is written.

    :raises LastOwnerError: with ``keep_owner``, the store would have no owner.
    """
    before = find_role(session, store_id, user.user_id)
    if before is role:
        return before
    if keep_owner:
        _require_other_owner(session, store_id, user, before)
    set_role(session, store_id, user.user_id, role, by)
    if before is not None and not before.scopes <= role.scopes:
        end_links(session, store_id, user.user_id)
    return before


def remove_member(
    session: Session, store_id: int, subject: str, *, keep_owner: bool = True
) -> User:
    """Remove a member: the user's tokens no longer open the store, and links end.

    :raises NoSuchMemberError: there is no such member.
    :raises LastOwnerError: with ``keep_owner``, the store would have no owner.
    """
    user, role = require_member(session, store_id, subject)
    if keep_owner:
        _require_other_owner(session, store_id, user, role)
    session.query("delete_member", store_id, user.user_id)
    end_links(session, store_id, user.user_id)
    return user


def end_links(session: Session, store_id: int, user_id: int) -> None:
    """End the links of a store that are for a user or created by one, in case access returns."""
    session.write_rows("delete_link", session.query("find_links_of", store_id, user_id))


def count(session: Queries, store_id: int) -> tuple[int, int]:
    """The number of members of a store, and of its owners."""
    ((members, owners),) = session.query("count_members", store_id)
    return members, owners


def _require_other_owner(session: Queries, store_id: int, user: User, role: Role | None) -> None:
    if role is Role.OWNER and count(session, store_id)[1] == 1:
        raise LastOwnerError(subject=user.subject)


def limit_to_member(
    session: Queries, store_id: int, grant: Grant, giver: frozenset[Scope]
) -> tuple[User, Grant]:
    """The member who is to get the grant, and the grant with its scopes.

    :raises PlantStoreError: the user is not a member, or the grant exceeds the role or the giver.
    """
    user, role = require_member(session, store_id, grant.subject)
    return user, limit_grant(grant, role, giver)


def require_room(session: Queries, store_id: int) -> None:
    """Return if the store may have another token.

    :raises TooMuchAccessError: it may not.
    """
    ((count,),) = session.query("count_tokens", store_id, now(), MAX_TOKENS)
    if count >= MAX_TOKENS:
        raise TooMuchAccessError(things="valid tokens")


def first_end(*ends: int | None) -> int | None:
    """The earlier of two expiries; None means never."""
    return min((end for end in ends if end is not None), default=None)
