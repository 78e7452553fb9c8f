"""A store's members over HTTP."""

from typing import Annotated

from msgspec import Meta, Struct

from plantstore.core.clock import write_time
from plantstore.core.errors import InvalidChangeError, NoSuchMemberError
from plantstore.core.model import Caller, Role
from plantstore.features.access import members, owners
from plantstore.features.access.http.owners import UNCHANGED, Outcome, Record, to_record
from plantstore.http.responses import NO_CONTENT, NO_STORE, json_response
from plantstore.sql.administration.records import check_subject
from plantstore.sql.session import Session


class MemberRole(Struct, frozen=True):
    """The body that gives a user a role."""

    role: Annotated[Role, Meta(description=f"one of {', '.join(Role)}")]


def list_members(session: Session, store_id: int) -> list[Record]:
    return [
        to_record(
            user=member.subject, role=member.role, since=write_time(member.since), by=member.by
        )
        for member in members.list_members(session, store_id)
    ]


def explain_missing(subject: str) -> NoSuchMemberError:
    """Why a store lacks this member.

    :raises InvalidChangeError: nobody can have this name.
    """
    check_subject(subject)
    return NoSuchMemberError(subject=subject)


def set_member(session: Session, manager: Caller, subject: str, body: MemberRole) -> Outcome:
    """Give a user a role; 201 for a new member."""
    if "\ufffd" in subject:  # what a path has that is not UTF-8 was decoded to it
        raise InvalidChangeError(reason="the user's name is not valid UTF-8")
    user, before = owners.set_member(session, manager, subject, body.role)
    member = to_record(user=user.subject, role=body.role)
    response = json_response(201 if before is None else 200, member, NO_STORE)
    if before is body.role:
        return response, UNCHANGED
    return response, {"member_id": user.user_id, "role": body.role, "old_role": before or "none"}


def remove_member(session: Session, manager: Caller, subject: str) -> Outcome:
    user = members.remove_member(session, manager.store_id, subject)
    return NO_CONTENT, {"member_id": user.user_id, "role": "none"}
