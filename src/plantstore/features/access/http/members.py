"""A store's members over HTTP."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from plantstore.core.clock import write_time
from plantstore.core.database import Database, Row
from plantstore.core.errors import InvalidChangeError, NoSuchMemberError, TooMuchAccessError
from plantstore.core.model import Caller, Role
from plantstore.features.access import members
from plantstore.features.access.http.owners import UNCHANGED, Outcome
from plantstore.http.responses import Record, to_record
from plantstore.sql.administration.records import check_subject, find_user, insert_user
from plantstore.sql.session import Session

MAX_MEMBERS = 1000


class MemberRole(Struct, frozen=True):
    """The body that gives a user a role."""

    role: Annotated[Role, Meta(description=f"one of {', '.join(Role)}")]


async def read(database: Database, store_id: int, subject: str | None = None) -> Sequence[Row]:
    """The members of a store, or one of them.

    :raises PlantStoreError: there is no such member, or the name is invalid.
    """
    if subject is not None:
        check_subject(subject)
    rows = await database.read("list_members", store_id, subject)
    if subject is not None and not rows:
        raise NoSuchMemberError(subject=subject)
    return rows


def describe(row: Row) -> Record:
    user, role, since, by = row
    return to_record(user=user, role=role, since=write_time(since), by=by)


def set_member(session: Session, manager: Caller, subject: str, body: MemberRole) -> Outcome:
    """Give a user, who is created if missing, a role; 201 for a new member.

    :raises PlantStoreError: there would be no owner, or too many members; or the name is invalid.
    """
    if "\ufffd" in subject:  # decoded from a path that is not UTF-8
        raise InvalidChangeError(reason="the user's name is not valid UTF-8")
    user = find_user(session, subject) or insert_user(session, subject)
    before = members.set_member(session, manager.store_id, user, body.role, manager.user_id)
    if before is None and members.count(session, manager.store_id)[0] > MAX_MEMBERS:
        raise TooMuchAccessError(things="members")
    member = to_record(user=user.subject, role=body.role)
    changed = {"member_id": user.user_id, "role": body.role, "old_role": before or "none"}
    return 201 if before is None else 200, member, UNCHANGED if before is body.role else changed


def remove_member(session: Session, manager: Caller, subject: str) -> Outcome:
    user = members.remove_member(session, manager.store_id, subject)
    return 204, None, {"member_id": user.user_id, "role": "none"}
