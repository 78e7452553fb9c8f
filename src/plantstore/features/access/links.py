"""Links to sign in with: each has a code, valid once within ten minutes, that gives a new token.

Invariants: only the hash of a code is stored; if two clients use a code at once, only one gets a
token. The grant of a link is checked when it is used: against the member's role and, unless a
command created the link, against the token that created it.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from plantstore.core.clock import now
from plantstore.core.database import Row
from plantstore.core.errors import NoSuchLinkError, RequestError, TooMuchAccessError
from plantstore.core.model import Caller, Grant, Role, Scope, User, find_hashes_of, token_id_of
from plantstore.core.tokens import CODE_PREFIX, hash_token, make_token, read_code
from plantstore.features.access.members import first_end, limit_to_member, require_room
from plantstore.sql.administration.new_tokens import ANYTHING
from plantstore.sql.administration.tokens import IssuedToken, insert_token, number_range
from plantstore.sql.scopes import from_text, read_access, to_text
from plantstore.sql.session import Queries

CODE_LIFETIME_MS = 10 * 60 * 1000
MAX_LINKS = 100  # unexpired links of a store
_LAST = b"\xff" * 33  # after all hashes


class Link(Struct, frozen=True):
    """A link: the grant, its user and store, and its expiry. Only a new link has a ``code``."""

    store_id: int
    code_hash: bytes
    store: str
    user: User
    grant: Grant
    expires_at: int
    code: str = ""

    @property
    def link_id(self) -> str:
        return token_id_of(self.code_hash)


def create_link(session: Queries, store_id: int, grant: Grant, maker: Caller | None = None) -> Link:
    """Create a link that gives a member this token; expired links of the store are deleted.

    :raises PlantStoreError: as ``limit_to_member``, or the store has too many links.
    """
    giver = ANYTHING if maker is None else maker.permissions
    user, grant = limit_to_member(session, store_id, grant, giver)
    session.query("delete_expired_links", store_id, now())
    ((count,),) = session.query("count_links", store_id)
    if count >= MAX_LINKS:
        raise TooMuchAccessError(things="unused links")
    code = make_token(store_id, CODE_PREFIX)
    gives = (user.user_id, to_text(grant.scopes or ()), grant.label, grant.expires_at)
    ends = (None if maker is None else maker.token_hash, now() + CODE_LIFETIME_MS)
    session.query("insert_link", store_id, hash_token(code), *gives, *ends)
    return replace(find_link(session, code), code=code)


def list_links(
    session: Queries, store_id: int | None = None, hashes: tuple[bytes, bytes] = (b"", _LAST)
) -> list[Link]:
    """The valid links of a store, or of all stores, with these hashes, sorted by expiry."""
    return read_links(session.query("find_links", *number_range(store_id), *hashes, now()))


def find_link(session: Queries, code: str) -> Link:
    """The link of a code.

    :raises RequestError: it is unknown, used or expired, or gives more than its creator or user
        may have now.
    """
    key = read_code(code)
    links = list_links(session, key[0], (key[1], key[1])) if key else []
    if not links:
        raise RequestError(40406)
    return links[0]


def redeem_code(session: Queries, code: str) -> IssuedToken:
    """Redeem a code; returns the new token.

    :raises PlantStoreError: as ``find_link``, or there are too many tokens.
    """
    link = find_link(session, code)
    require_room(session, link.store_id)
    session.query("delete_link", link.store_id, link.code_hash)
    return insert_token(session, link.store_id, link.user.user_id, link.grant)


def revoke_link(session: Queries, link_id: str, store_id: int | None = None) -> Link:
    """Revoke a link, of this store or of any.

    :raises NoSuchLinkError: there is no valid link with this id.
    """
    links = list_links(session, store_id, hash_range(link_id))
    if not links:
        raise NoSuchLinkError(link_id=link_id)
    session.query("delete_link", links[0].store_id, links[0].code_hash)
    return links[0]


def read_links(rows: Sequence[Row]) -> list[Link]:
    """The links of ``find_links`` that are valid now."""
    return [link for link in map(_read_link, rows) if link is not None]


def hash_range(record_id: str | None) -> tuple[bytes, bytes]:
    """The range of the hashes of a record with this id, or of all; empty for an invalid id."""
    return (b"", _LAST) if record_id is None else find_hashes_of(record_id) or (_LAST, b"")


def _read_link(row: Row) -> Link | None:
    """The link, if the user's role and the creator's token, if any, allow its grant."""
    store_id, code_hash, store, user_id, subject, role, text, label, expires_at, ends_at, *by = row
    has_maker, maker_role, maker_scopes, maker_end = by
    scopes, may = from_text(text), ANYTHING
    if has_maker:
        _, may = read_access(maker_role, maker_scopes or "")
    if Scope.MANAGE not in may or not scopes <= may & Role(role).scopes:
        return None
    expires_at = first_end(expires_at, maker_end)
    grant = Grant(subject, scopes=scopes, label=label, expires_at=expires_at)
    return Link(store_id, code_hash, store, User(user_id, subject), grant, ends_at)
