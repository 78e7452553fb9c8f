"""Compares two databases: whether a copy may continue one, and whether it ended with equal ones.

A copy may continue a target of which the source has everything, in the same form, where the
target's events of each store are the first of the source's. Any change to the target through the
service or the command line violates it, so a copy never overwrites one.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from plantstore.database import Row
from plantstore.errors import SetupError
from plantstore.model import token_id_of
from plantstore.sql.session import Session
from plantstore.sql.tables import (
    ALL,
    EVENTS,
    MEMBERS,
    PLANTS,
    STORES,
    TOKENS,
    USERS,
    Stores,
    Table,
    find_first_event,
    in_parts,
    pair_rows,
    read_pages,
    read_rows,
)


def require_earlier_state(source: Session, target: Session) -> None:
    """Refuse a target that is neither empty nor an earlier state of the source, or a part of one.

    :raises SetupError: it has rows of its own; the message says which.
    """
    found = next(_own_things(source, target), None)
    if found is not None:
        raise SetupError(
            f"{target.location} has {found}, {source.location} does not: copy to an empty "
            "database, or to an earlier copy of the same one; nothing was written"
        )


def _own_things(source: Session, target: Session) -> Iterator[str]:
    """What only the target has, in words."""
    for user in _strangers(source, target, USERS):
        yield f"the user {user[1]!r} with the number {user[0]}"
    for store in _strangers(source, target, STORES):
        yield f"the store {store[1]!r} with the number {store[0]}, at revision {store[-1]}"
    for stores in in_parts(read_rows(target, STORES)):
        yield from _own_rows(source, target, stores)


def _own_rows(source: Session, target: Session, stores: Sequence[Row]) -> Iterator[str]:
    """What only the target has of these stores, which both have."""
    found = (stores[0][0], stores[-1][0])
    names = {store_id: name for store_id, name, *_ in stores}
    for store_id, revision, *_ in _strange_events(source, target, found):
        if revision >= find_first_event(source, store_id):  # else the source has trimmed it
            yield f"the change of {names[store_id]!r} to revision {revision}"
    for member in _strangers(source, target, MEMBERS, found):
        name = names[member[0]]
        yield f"a member of {name!r}, or a role (see `plantstore member list --store {name}`)"
    for token in _strangers(source, target, TOKENS, found):
        token_id = token_id_of(token[1])
        yield f"the token {token_id} of {names[token[0]]!r}, or has revoked it"


def _strangers(
    source: Session, target: Session, table: Table, stores: Stores = ALL
) -> Iterator[Row]:
    for ours, theirs in pair_rows(source, target, table, stores):
        if theirs is not None and not _is_earlier(table, theirs, ours):
            yield theirs


def _strange_events(source: Session, target: Session, stores: Stores) -> Iterator[Row]:
    """As ``_strangers``; and those that come after one that the target lacks."""
    lacking = None
    for ours, theirs in pair_rows(source, target, EVENTS, stores):
        if theirs is None:
            lacking = None if ours is None else ours[0]
        elif theirs != ours or theirs[0] == lacking:
            yield theirs


def _is_earlier(table: Table, theirs: Row, ours: Row | None) -> bool:
    """Whether the source has the row, or had it."""
    if ours is None:
        return False
    if table is STORES:  # with the same number, name and time, at an earlier revision
        return bool(theirs[:3] == ours[:3] and theirs[-1] <= ours[-1])
    if table is TOKENS:  # since then it may have been revoked, or rotated
        return bool(theirs[:-2] == ours[:-2]) and _ends_later(theirs, ours)
    return bool(theirs == ours)


def _ends_later(theirs: Row, ours: Row) -> bool:
    """Whether a token in the target is revoked no earlier, and expires no earlier."""
    pairs = zip(theirs[-2:], ours[-2:], strict=True)
    return all(their in (None, our) or (our is not None and their > our) for their, our in pairs)


def verify(source: Session, target: Session) -> Iterator[int]:
    """Compare everything but idempotency keys, which expire.

    Yields, repeatedly, how many more rows of stores were compared.

    :raises SetupError: something differs.
    """
    for table in (USERS, STORES, MEMBERS, TOKENS, PLANTS, EVENTS):
        # Alternately, so that neither connection is idle for long and times out.
        pages = zip_longest(read_pages(source, table), read_pages(target, table), fillvalue=())
        for ours, theirs in pages:
            if list(ours) != list(theirs):
                raise SetupError(_describe(source, target, table, ours, theirs))
            if table not in {USERS, STORES}:
                yield len(ours)


def _describe(
    source: Session, target: Session, table: Table, ours: Sequence[Row], theirs: Sequence[Row]
) -> str:
    """Where the pages begin to differ, without what may be private."""
    found = next(pair for pair in zip_longest(ours, theirs) if pair[0] != pair[1])
    first = min(table.key(row) for row in found if row is not None)
    words = table.name
    if table not in {USERS, STORES}:
        store = source.query(STORES.read, first[0], first[0], 1) or [first]
        words = f"{table.name} of {store[0][1]!r}"
    number = first[-1].hex() if isinstance(first[-1], bytes) else first[-1]
    return (
        f"the {words} differ at {number} between {source.location} and {target.location}; "
        "the target was changed outside the service: copy to an empty database"
    )
