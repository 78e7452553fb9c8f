"""A store's tokens over HTTP. A token's secret is in one response alone: that to its creation."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from plantstore.clock import now, write_time
from plantstore.errors import InvalidChangeError
from plantstore.http.access.bodies import read_body
from plantstore.http.access.changes import Changes, Fields
from plantstore.http.responses import NO_STORE, json_response, make_response
from plantstore.model import EXPIRY_MAX, Scope
from plantstore.server.messages import Request, Response
from plantstore.sql import access
from plantstore.sql.access import Manager, StoreToken, WantedToken
from plantstore.sql.session import Session

_DAY_MS = 24 * 3600 * 1000
_EPOCH = datetime.fromtimestamp(0, UTC)


class NewToken(Struct, frozen=True):
    """The body that creates a token; what is left out has its default, ``null`` is for never."""

    user: str
    scopes: Annotated[list[Scope], Meta(min_length=1)] | UnsetType = UNSET
    label: str | UnsetType = UNSET
    expires_at: Annotated[datetime, Meta(tz=True)] | UnsetType | None = UNSET


class TokenRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A token, as clients see one; what does not apply is left out."""

    id: str
    user: str
    label: str
    scopes: list[Scope]
    created_at: str
    expires_at: str | None = None
    last_used_at: str | None = None
    token: str | None = None


class TokenOperations:
    """The operations on the tokens of any store; a new one expires after ``days`` by default."""

    def __init__(self, changes: Changes, days: int) -> None:
        self._changes = changes
        self._days = days

    async def list_tokens(self, request: Request, store_name: str | None = None) -> Response:
        """List the valid tokens, the oldest first."""
        caller = await self._changes.admit(request, store_name)
        found = await self._changes.read(
            caller, lambda session: access.list_tokens(session, caller.store_id)
        )
        return json_response(200, [describe_token(token) for token in found], NO_STORE)

    async def create_token(self, request: Request, store_name: str | None = None) -> Response:
        """Create a token for a member."""
        caller = await self._changes.admit(request, store_name)
        wanted = read_wanted(await read_body(request, NewToken), self._days)

        def change(session: Session, manager: Manager) -> tuple[TokenRecord, Fields]:
            secret, made = access.create_token(session, caller.store_id, wanted, manager)
            return describe_token(made, secret), describe_made(made)

        record = await self._changes.make(request, caller, change)
        return json_response(201, record, NO_STORE)

    async def revoke_token(
        self, request: Request, token_id: str, store_name: str | None = None
    ) -> Response:
        """Revoke a token."""
        caller = await self._changes.admit(request, store_name)

        def change(session: Session, _manager: Manager) -> tuple[None, Fields]:
            access.revoke_token(session, caller.store_id, token_id)
            return None, {"revoked_token_id": token_id}

        await self._changes.make(request, caller, change)
        return make_response(204, b"")


def read_wanted(body: NewToken, days: int) -> WantedToken:
    """The token that a body asks for.

    :raises InvalidChangeError: no token can have its expiry.
    """
    return WantedToken(
        subject=body.user,
        scopes=None if body.scopes is UNSET else frozenset(body.scopes),
        label=None if body.label is UNSET else body.label,
        expires_at=_read_expiry(body.expires_at, days),
    )


def describe_made(made: StoreToken) -> Fields:
    """A new token, for the log."""
    expires_at = "never" if made.expires_at is None else write_time(made.expires_at)
    return {
        "new_token_id": made.token_id,
        "scopes": ",".join(sorted(made.scopes)),
        "expires_at": expires_at,
    }


def _read_expiry(moment: datetime | UnsetType | None, days: int) -> int | None:
    if moment is None:
        return None
    if moment is UNSET:
        return now() + days * _DAY_MS
    expires_at = (moment - _EPOCH) // timedelta(milliseconds=1)
    if not now() < expires_at <= EXPIRY_MAX:
        reason = "expires_at must be later than now, and before the year 10000"
        raise InvalidChangeError(reason=reason)
    return expires_at


def describe_token(token: StoreToken, secret: str | None = None) -> TokenRecord:
    """A token, as clients see it; with its secret where it is new."""
    return TokenRecord(
        id=token.token_id,
        user=token.subject,
        label=token.label,
        scopes=[scope for scope in Scope if scope in token.scopes],
        created_at=write_time(token.created_at),
        expires_at=None if token.expires_at is None else write_time(token.expires_at),
        last_used_at=None if token.last_used_at is None else write_time(token.last_used_at),
        token=secret,
    )
