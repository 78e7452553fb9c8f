"""The domain's data: frozen structs, decoded once at the edge.

The terms are those of the glossary in ARCHITECTURE.md. Times are Unix times in milliseconds,
ids are signed 64-bit integers.
"""

import re
from collections.abc import Callable
from enum import Enum, StrEnum
from hashlib import sha256
from operator import attrgetter
from typing import Annotated

from msgspec import Meta, Struct, defstruct
from msgspec.inspect import StrType, type_info
from msgspec.structs import astuple, fields

INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1
LABEL_MAX = 64
TAG_BYTES = 8  # an entity tag is this many bytes of the plant's digest
DELETED_USER = -1  # the user's number in events of a deleted user

# Terminals may obey control characters; direction overrides disguise text.
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_STORE_NAME = re.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_TOKEN_ID = re.compile("[0-9a-f]{16}")


class Scope(StrEnum):
    """One operation that a token may allow."""

    LIST = "list"
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    MANAGE = "manage"  # members and tokens; granted only on request


class Role(StrEnum):
    """What a member may do in a store."""

    READER = "reader"
    EDITOR = "editor"
    OWNER = "owner"

    @property
    def scopes(self) -> frozenset[Scope]:
        return ROLE_SCOPES[self]

    @property
    def default_scopes(self) -> frozenset[Scope]:
        """The scopes of a new token for this role, unless others are requested."""
        return self.scopes - {Scope.MANAGE}


ROLE_SCOPES = {
    Role.READER: frozenset({Scope.LIST}),
    Role.EDITOR: frozenset(Scope) - {Scope.MANAGE},
    Role.OWNER: frozenset(Scope),
}


class NewPlant(Struct, frozen=True, omit_defaults=True):
    """A plant, with an id that its creator chose, unique within the store.

    SQL, ``openapi.yaml`` and the page repeat its fields, their limits, and which are optional;
    ``tests/test_plant_fields.py`` compares them.
    """

    id: Annotated[int, Meta(ge=INT64_MIN, le=INT64_MAX)]
    name: Annotated[str, Meta(min_length=1, max_length=1000)]
    tag: Annotated[str, Meta(max_length=256)] | None = None


PLANT_FIELDS = NewPlant.__struct_fields__
contents_of = attrgetter(*PLANT_FIELDS[1:])  # all but the id
OPTIONAL_FIELDS = PLANT_FIELDS[-len(NewPlant.__struct_defaults__) :]
TEXT_LENGTHS = {  # the maximum and minimum number of characters
    field.name: (text.max_length or 0, text.min_length or 0)
    for field in fields(NewPlant)
    for kind in [type_info(field.type)]
    for text in getattr(kind, "types", [kind])
    if isinstance(text, StrType)
}

# A plant's contents, which every member of a store sees.
Plant = defstruct(
    "Plant",
    [(field.name, field.type, field.default) for field in fields(NewPlant)[1:]],
    frozen=True,
    omit_defaults=True,
)


class Precondition(Struct, frozen=True):
    """The entity tags that the request's plant must have (``if_match``), or must not have.

    ``*`` stands for any tag; None means that the request has no such header.
    """

    if_match: tuple[str, ...] | None
    if_none_match: tuple[str, ...] | None

    def matches(self, tag: str) -> bool:
        """Whether ``if_match`` allows a plant with this entity tag."""
        return self.if_match is None or not {tag, "*"}.isdisjoint(self.if_match)

    def excludes(self, tag: str) -> bool:
        """Whether ``if_none_match`` rules out a plant with this entity tag."""
        return self.if_none_match is not None and not {tag, "*"}.isdisjoint(self.if_none_match)


class PlantQuery(Struct, frozen=True):
    """Which plants to list from a store, in ascending order of id.

    ``limit`` None means all; ``first_id`` is the lowest id. ``tags`` selects plants that have any
    of these tags; ``with_total`` also counts them. ``with_ids`` makes the database return ids,
    which the ``included`` fields of a list may need.
    """

    limit: int | None = None
    first_id: int = INT64_MIN
    tags: tuple[str, ...] = ()
    with_total: bool = False
    with_ids: bool = False
    included: frozenset[str] = frozenset()


class Page(Struct, frozen=True):
    """Plants of one store at one revision.

    ``plants`` holds ``count`` JSON objects, separated by commas, without the array's brackets.
    ``last_id`` is the last plant's id, meaningless without plants; ``more`` says whether the query
    matches plants after it. ``total`` is the number of plants in the store; for a query with tags,
    the number of matches, or 0 if they are not counted.
    """

    revision: int
    total: int
    count: int
    plants: bytes
    last_id: int
    more: bool


IsFresh = Callable[[], bool]


def never_fresh() -> bool:
    """False: only a query can tell whether something was committed."""
    return False


# The key of rate limits and turns: the token's store and its user. So tokens for the same user from
# another store's owner are limited separately.
Principal = tuple[int, int]


class Caller(Struct, frozen=True):
    """The authenticated sender of a request, and the store that the request addresses.

    ``role`` is None if the user is not a member of that store, or there is no such store;
    ``permissions`` are what both the role and the token's scopes allow. ``revision`` is the
    store's, read by the same query. ``principal`` is the key of the caller's rate limit and turns.
    ``unchanged()`` is true only if no process has committed anything since; it needs no query.
    ``token_store_id`` is the token's own store. A command has no token: its hash is empty.
    """

    token_store_id: int
    token_hash: bytes
    user_id: int
    token_label: str
    expires_at: int | None
    store_id: int
    role: Role | None
    permissions: frozenset[Scope]
    revision: int
    principal: Principal
    unchanged: IsFresh = never_fresh

    @property
    def token_id(self) -> str:
        return token_id_of(self.token_hash)


class IdempotencyKey(Struct, frozen=True):
    """A client's key for one request, and a digest of that request's contents."""

    key: str
    fingerprint: bytes


class Outcome(Enum):
    """How a write ended. The values are stored with idempotency keys: never change one.

    REPLAYED: an earlier create with the same key was CREATED. UNCHANGED: the plant already had
    these contents. TOKEN_INVALID and FORBIDDEN: the token or the user's role changed while the
    write waited.
    """

    CREATED = "created"
    REPLAYED = "replayed"
    ID_TAKEN = "id_taken"
    ALREADY_STORED = "already_stored"
    KEY_REUSED = "key_reused"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    DELETED = "deleted"
    NO_SUCH_PLANT = "no_such_plant"
    PRECONDITION_FAILED = "precondition_failed"
    NO_SUCH_STORE = "no_such_store"
    STORE_FULL = "store_full"
    TOKEN_INVALID = "token_invalid"  # noqa: S105 - not a password
    FORBIDDEN = "forbidden"


# The outcomes of writes that succeeded; any other is a refusal.
DONE = frozenset({Outcome.CREATED, Outcome.UPDATED, Outcome.UNCHANGED, Outcome.DELETED})


class Store(Struct, frozen=True):
    """One tenant's collection of plants; every change to them raises its revision by one.

    ``plants`` is their number, ``max_plants`` the quota, if there is one. Up to the revision
    ``trimmed``, events may be missing.
    """

    store_id: int
    name: str
    created_at: int
    plants: int
    max_plants: int | None
    trimmed: int
    revision: int


class User(Struct, frozen=True):
    """A user of the service, with the name ``subject``."""

    user_id: int
    subject: str


class Grant(Struct, frozen=True):
    """A request for a token, and for the membership and store that the token needs.

    A missing membership gets ``role``. ``scopes`` None means the role's defaults; ``manages`` adds
    the scope ``manage``. ``store`` is named only to create a token by a command; a new store gets
    the quota ``max_plants``.
    """

    subject: str
    store: str = ""
    role: Role | None = None
    scopes: frozenset[Scope] | None = None
    label: str = ""
    all_stores: bool = False
    expires_at: int | None = None
    max_plants: int | None = None
    manages: bool = False


def broken_rule(text: str, longest: int, shortest: int = 1) -> str | None:
    """The rule that a plant's text, a subject or a label breaks, or None.

    The rule continues a sentence that begins with the field's name.
    """
    if not shortest <= len(text) <= longest:
        return f"must be {shortest} to {longest:,} characters long, not {len(text):,}"
    if _FORBIDDEN.search(text):
        return (
            "must not contain control characters (U+0000 to U+001F, U+007F to U+009F), overrides "
            "of the text's direction (U+202A to U+202E, U+2066 to U+2069) or lone surrogates"
        )
    if shortest and text.isspace():
        return "must not be only white space"
    return None


def is_store_name(name: str) -> bool:
    """Whether a store can have this name: a DNS label, since paths contain it."""
    return _STORE_NAME.fullmatch(name) is not None


def token_id_of(token_hash: bytes) -> str:
    """The id of the token with this hash: the hash's first 8 bytes, in hexadecimal."""
    return token_hash[:8].hex()


def find_hashes_of(token_id: str) -> tuple[bytes, bytes] | None:
    """The lowest and highest possible hash of a token with this id; None if it is not an id."""
    if _TOKEN_ID.fullmatch(token_id) is None:
        return None
    lowest = bytes.fromhex(token_id)
    return lowest, lowest.ljust(32, b"\xff")


_ALL_FIELDS = "\x1f".join(f"{field}=%s" for field in PLANT_FIELDS)  # faster than joining pairs


def digest_of(plant: NewPlant) -> bytes:
    """A digest of the plant's contents: SHA-256 of ``field=value`` for each field that it has.

    The separator is U+001F, which no field contains, so different plants are hashed as different
    texts. ``write_batch`` of PostgreSQL computes the same digest. Databases store it: add new
    fields at the end, and never change the digest of a plant without them.
    """
    values = astuple(plant)
    if None in values:
        pairs = zip(PLANT_FIELDS, values, strict=True)
        text = "\x1f".join([f"{field}={value}" for field, value in pairs if value is not None])
    else:
        text = _ALL_FIELDS % values
    return sha256(text.encode()).digest()


def entity_tag_of(plant: NewPlant) -> str:
    """The plant's entity tag: 16 hexadecimal digits, the same in every process and database."""
    return digest_of(plant)[:TAG_BYTES].hex()
