"""Finds what a copy would overwrite: data that the target has and the source does not."""

from collections.abc import Iterator

from plantstore.core.database import Row
from plantstore.core.model import token_id_of
from plantstore.features.transfer.tables import (
    EVENTS,
    STORES,
    TOKENS,
    USERS,
    StoreRow,
    Stores,
    pair_rows,
    read_rows,
)
from plantstore.sql.administration.records import find_store, require_store
from plantstore.sql.session import Queries

_SAME_IN_EVENTS = slice(EVENTS.columns.index("user_id"))  # users may have other numbers


def find_conflicts(
    source: Queries, target: Queries, name: str | None, stores: Stores
) -> Iterator[str]:
    """Describe what only the target has, in all stores or in the store with this name."""
    users, store_rows, tokens = (
        pair_rows(table, *(read_rows(session, table, stores) for session in (source, target)))
        for table in (USERS, STORES, TOKENS)
    )
    if name is None:
        for our_user, their_user in users:
            if their_user is not None and their_user != our_user:
                yield f"the user {their_user[1]!r} with the number {their_user[0]}"
    else:
        yield from _find_conflicts_of_store(source, target, name)
    for our_store, their_store in store_rows:
        if their_store is not None:
            ours, theirs = our_store and StoreRow(*our_store), StoreRow(*their_store)
            if not ours or not is_earlier(source, target, ours, theirs):
                where = f"with the number {theirs.store_id}, at revision {theirs.revision}"
                yield f"the store {theirs.name!r} {where}"
    for our_token, their_token in tokens:
        if their_token is not None and not _is_earlier_token(our_token, their_token):
            store_id, token_hash = TOKENS.key(their_token)
            own = "the" if our_token is None else "a revocation or an earlier expiry of the"
            yield f"{own} token {token_id_of(token_hash)} of the store with the number {store_id}"


def is_earlier(source: Queries, target: Queries, ours: StoreRow, theirs: StoreRow) -> bool:
    """Whether the target's store is an earlier state of the source's, by the source's events.

    If the revisions are equal, the verification compares all events.
    """
    if ours.identity != theirs.identity:
        return False
    if theirs.revision in {0, ours.revision}:
        return True
    last = (theirs.store_id, theirs.revision, theirs.store_id, 1)
    our, their = (
        [tuple(row[_SAME_IN_EVENTS]) for row in session.query(EVENTS.read, *last)]
        for session in (source, target)
    )
    is_same = not their or our == their  # the target may have trimmed the event
    return is_same and ours.trimmed <= theirs.revision <= ours.revision


def _find_conflicts_of_store(source: Queries, target: Queries, name: str) -> Iterator[str]:
    ours, theirs = require_store(source, name), find_store(target, name)
    if theirs is not None and theirs.store_id != ours.store_id:
        yield f"the store {name!r} with the number {theirs.store_id}"
    for (revision,) in target.query("find_deleted_store", ours.store_id):
        if theirs is None and revision >= ours.revision:  # else it was moved away and returns
            yield f"deleted the store {name!r} at revision {revision}"


def _is_earlier_token(ours: Row | None, theirs: Row) -> bool:
    """Whether the target's token is an earlier state: it must not expire before the source's."""
    ends = {"expires_at", "revoked_at"}
    return ours is not None and all(
        column == "user_id"
        or their == our
        or (column in ends and our is not None and (their is None or their >= our))
        for column, their, our in zip(TOKENS.columns, theirs, ours, strict=True)
    )
