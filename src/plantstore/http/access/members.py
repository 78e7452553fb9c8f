"""A store's members over HTTP."""

from msgspec import Struct

from plantstore.http.access.bodies import read_body
from plantstore.http.access.changes import Changes, Fields
from plantstore.http.responses import NO_STORE, json_response, make_response
from plantstore.model import Role
from plantstore.server.messages import Request, Response
from plantstore.sql import access
from plantstore.sql.access import Manager
from plantstore.sql.session import Session


class MemberRole(Struct, frozen=True):
    """The body that gives a user a role."""

    role: Role


class StoreMember(Struct, frozen=True):
    """A member, as clients see one."""

    user: str
    role: Role


class MemberOperations:
    """The operations on the members of any store."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes

    async def list_members(self, request: Request, store_name: str | None = None) -> Response:
        """List the members, by name."""
        caller = await self._changes.admit(request, store_name)
        found = await self._changes.read(
            caller, lambda session: access.list_members(session, caller.store_id)
        )
        members = [StoreMember(member.subject, member.role) for member in found]
        return json_response(200, members, NO_STORE)

    async def set_member(
        self, request: Request, subject: str, store_name: str | None = None
    ) -> Response:
        """Give a user a role; 201 for a new member."""
        caller = await self._changes.admit(request, store_name)
        role = (await read_body(request, MemberRole)).role

        def change(session: Session, _manager: Manager) -> tuple[bool, Fields]:
            done = access.set_member(session, caller.store_id, subject, role)
            what = {"member_id": done.user.user_id, "role": role, "old_role": done.before or "none"}
            return done.before is None, what

        is_new = await self._changes.make(request, caller, change)
        return json_response(201 if is_new else 200, StoreMember(subject, role), NO_STORE)

    async def remove_member(
        self, request: Request, subject: str, store_name: str | None = None
    ) -> Response:
        """Remove a member."""
        caller = await self._changes.admit(request, store_name)

        def change(session: Session, _manager: Manager) -> tuple[None, Fields]:
            user = access.remove_member(session, caller.store_id, subject)
            return None, {"member_id": user.user_id, "role": "none"}

        await self._changes.make(request, caller, change)
        return make_response(204, b"")
