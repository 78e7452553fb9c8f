"""Distinguishes a target that a copy may continue from one that was changed independently.

The rule: the source has everything that the target has, in the same form, and the target's events
of each store are the first of the source's. Any change to the target through the service or the
command line violates it, so a copy never overwrites one.
"""

from collections.abc import Iterator
from itertools import chain, repeat

from plantstore.errors import SetupError
from plantstore.model import token_id_of
from plantstore.sql.copying.tables import (
    EVENTS,
    MEMBERS,
    STORES,
    TOKENS,
    USERS,
    Table,
    find_first_event,
    pair_rows,
    read_rows,
)
from plantstore.sql.session import Row, Session


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
    for store_id, name, *_ in read_rows(target, STORES):
        for event in _strange_events(source, target, store_id):
            yield f"the change of {name!r} to revision {event[0]}"
        for _ in _strangers(source, target, MEMBERS, store_id):
            yield f"a member of {name!r}, or a role (see `plantstore member list --store {name}`)"
        for token in _strangers(source, target, TOKENS, store_id):
            token_id = token_id_of(token[0])
            yield f"the token {token_id} of {name!r}, or has revoked it"


def _strangers(source: Session, target: Session, table: Table, *store: int) -> Iterator[Row]:
    pairs = pair_rows(read_rows(source, table, *store), read_rows(target, table, *store))
    for ours, theirs in pairs:
        if theirs is not None and not _is_earlier(table, theirs, ours):
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


def _strange_events(source: Session, target: Session, store_id: int) -> Iterator[Row]:
    """As ``_strangers``, without reading the source's later events, and those it has trimmed."""
    ours = chain(read_rows(source, EVENTS, store_id), repeat(None))
    first = find_first_event(source, store_id)
    theirs = (row for row in read_rows(target, EVENTS, store_id) if row[0] >= first)
    for their, our in zip(theirs, ours, strict=False):
        if their != our:
            yield their
