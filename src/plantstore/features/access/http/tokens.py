"""A store's tokens over HTTP. A token's secret is only in the response to its creation."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from plantstore.core.clock import DAY_MS, EPOCH, now, write_time
from plantstore.core.database import Database, Row
from plantstore.core.errors import InvalidChangeError, NoSuchTokenError
from plantstore.core.model import Caller, Grant, Scope, find_hashes_of, token_id_of
from plantstore.features.access.http.bodies import Text
from plantstore.features.access.http.owners import UNCHANGED, Fields, Outcome
from plantstore.features.access.members import first_end, limit_to_member, require_room
from plantstore.http.responses import Record, to_record
from plantstore.sql.administration import tokens
from plantstore.sql.administration.new_tokens import label_by
from plantstore.sql.administration.tokens import IssuedToken, Token
from plantstore.sql.scopes import to_text
from plantstore.sql.session import Session


class TokenRequest(Struct, frozen=True):
    """The body that creates a token; omitted fields have defaults, ``null`` means never."""

    user: Text
    scopes: Annotated[
        Annotated[list[Scope], Meta(min_length=1)] | UnsetType,
        Meta(description=f"an array of at least one of {', '.join(Scope)}, or omitted"),
    ] = UNSET
    label: Annotated[str | UnsetType, Meta(description="a string, or omitted")] = UNSET
    expires_at: Annotated[
        Annotated[datetime, Meta(tz=True)] | UnsetType | None,
        Meta(description="a time with its zone, such as 2030-01-31T08:00:00Z, null, or omitted"),
    ] = UNSET


async def read(database: Database, store_id: int, token_id: str | None = None) -> Sequence[Row]:
    """The valid tokens that open only this store, the oldest first, or one of them."""
    rows = sorted(await database.read("list_valid_tokens", store_id, now()), key=itemgetter(4, 0))
    rows = [row for row in rows if token_id in (None, token_id_of(row[0]))]
    if token_id is not None and not rows:
        raise NoSuchTokenError(token_id=token_id)
    return rows


def describe(row: Row) -> Record:
    token_hash, user, label, scopes, created_at, expires_at, used_at = row
    return to_record(
        id=token_id_of(token_hash),
        user=user,
        label=label,
        scopes=scopes.split(","),
        created_at=write_time(created_at),
        expires_at=expires_at and write_time(expires_at),
        last_used_at=used_at and write_time(used_at),
    )


def create_token(days: int, session: Session, manager: Caller, body: TokenRequest) -> Outcome:
    """Create a token for a member, which by default expires after ``days``.

    It expires no later than the manager's.

    :raises PlantStoreError: as ``limit_to_member``, or there are too many tokens.
    """
    grant = read_grant(session, manager, body, days)
    user, grant = limit_to_member(session, manager.store_id, grant, manager.permissions)
    grant = replace(grant, expires_at=first_end(grant.expires_at, manager.expires_at))
    require_room(session, manager.store_id)
    issued = tokens.insert_token(session, manager.store_id, user.user_id, grant)
    return 201, show_token(issued), describe_made(issued.token)


def revoke_token(session: Session, manager: Caller, token_id: str) -> Outcome:
    """Revoke a token that opens only this store.

    :raises NoSuchTokenError: the store has no token with this id.
    """
    if find_hashes_of(token_id):  # else it may be a token, not an id
        with suppress(NoSuchTokenError):
            token = tokens.find_token(session, token_id)
            if token.store_id == manager.store_id and not token.all_stores:
                tokens.revoke_token(session, token)
                changed = {"revoked_token_id": token_id, "member_id": token.user_id}
                return 204, None, changed if token.revoked_at is None else UNCHANGED
    raise NoSuchTokenError(token_id=token_id)


def read_grant(session: Session, manager: Caller, body: TokenRequest, days: int) -> Grant:
    """The requested grant; by default, its label says who grants it and when.

    :raises InvalidChangeError: the expiry is invalid.
    """
    ((subject,),) = session.query("find_subject", manager.user_id)
    return Grant(
        subject=body.user,
        scopes=None if body.scopes is UNSET else frozenset(body.scopes),
        label=label_by(subject) if body.label is UNSET else body.label,
        expires_at=_read_expiry(body.expires_at, days),
    )


def describe_made(made: Token) -> Fields:
    return {
        "new_token_id": made.token_id,
        "member_id": made.user_id,
        "scopes": ",".join(sorted(made.scopes)),
        "expires_at": write_time(made.expires_at) if made.expires_at else "never",
    }


def show_token(issued: IssuedToken, **more: str) -> Record:
    """The new token as ``describe`` shows it, with its secret and ``more`` fields."""
    it = issued.token
    row = (it.token_hash, it.subject, it.label, to_text(it.scopes), it.created_at, it.expires_at)
    return {**describe((*row, None)), "token": issued.secret, **more}


def _read_expiry(moment: datetime | UnsetType | None, days: int) -> int | None:
    if moment is None:
        return None
    if moment is UNSET:
        return now() + days * DAY_MS
    expires_at = (moment - EPOCH) // timedelta(milliseconds=1)
    if expires_at <= now():
        raise InvalidChangeError(reason="expires_at must be later than now")
    return expires_at
