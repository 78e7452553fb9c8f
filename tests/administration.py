"""Administration for tests: each change is one transaction, as in a command.

It needs no feature.
"""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from msgspec import Struct

from plantstore.core.model import TEXT_LENGTHS, NewPlant, Role
from plantstore.databases import open_session
from plantstore.sql.administration import new_tokens, records, tokens
from plantstore.sql.administration.tokens import IssuedToken, Token
from plantstore.sql.session import Session

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Function = Callable[Concatenate[Session, Arguments], Result]
Method = Callable[Concatenate["Administration", Arguments], Result]

_CONTENTS = ", ".join(TEXT_LENGTHS)
_STORE_TABLES = ("members", "tokens", "idempotency_keys", "events", "plants", "revisions", "stores")
# The queries that only tests run.
_QUERIES = {
    "events_of_store": """
        SELECT revision, kind, plant_id, {contents}, at,
            (SELECT subject FROM users AS u WHERE u.user_id = e.user_id), token_label, token_id,
            user_id IS NOT NULL AND user_id = -1
        FROM events AS e WHERE store_id = {mark}1 ORDER BY revision
    """,
    **{
        f"delete_from_{table}": f"DELETE FROM {table} WHERE store_id = {{mark}}1"
        for table in _STORE_TABLES
    },
    "keys_of_store": "SELECT key FROM idempotency_keys WHERE store_id = {mark}1",
    "members_of_store": """
        SELECT u.subject, m.role FROM members AS m JOIN users AS u ON u.user_id = m.user_id
        WHERE m.store_id = {mark}1 ORDER BY u.subject
    """,
    "set_quota": "UPDATE revisions SET max_plants = {mark}2 WHERE store_id = {mark}1",
}


class Member(Struct, frozen=True):
    """A user's role in a store."""

    subject: str
    role: Role


class Event(Struct, frozen=True):
    """A row of ``events``, with the user's subject."""

    revision: int
    kind: str
    plant: NewPlant
    at: int
    subject: str | None
    token_label: str
    token_id: str
    is_user_deleted: bool = False


def open_administration(url: str) -> "Administration":
    return Administration(open_test_session(url))


def open_test_session(url: str) -> Session:
    """A session that also has the tests' queries; PostgreSQL may be slow on a busy machine."""
    is_sqlite = url.startswith("sqlite")
    session: Any = open_session(url if is_sqlite else with_timeout(url))
    mark = "?" if is_sqlite else "$"
    own = {name: sql.format(mark=mark, contents=_CONTENTS) for name, sql in _QUERIES.items()}
    session._sql = {**session._sql, **own}  # noqa: SLF001 - no part of the program
    return session  # type: ignore[no-any-return]


def with_timeout(url: str) -> str:
    return f"{url}{'&' if '?' in url else '?'}connect_timeout=30"


def reading(function: Function[Arguments, Result]) -> Method[Arguments, Result]:
    """Wrap a function that needs no transaction, or opens its own."""

    def read(
        self: "Administration", /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        return function(self.session, *args, **kwargs)

    return read


def changing(function: Function[Arguments, Result]) -> Method[Arguments, Result]:
    def change(
        self: "Administration", /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        with self.session.transaction():
            return function(self.session, *args, **kwargs)

    return change


def remove_member(session: Session, store: str, subject: str) -> None:
    user_id = records.require_user(session, subject).user_id
    session.query("delete_member", id_of(session, store), user_id)


def add_member(session: Session, store: str, subject: str, role: Role) -> None:
    user_id = records.require_user(session, subject).user_id
    records.set_role(session, id_of(session, store), user_id, role)


def list_tokens(
    session: Session, store: str | None = None, subject: str | None = None
) -> list[Token]:
    store_id = None if store is None else id_of(session, store)
    user_id = None if subject is None else records.require_user(session, subject).user_id
    return tokens.list_tokens(session, store_id, user_id)


def revoke_token(session: Session, token: str) -> Token:
    return tokens.revoke_token(session, tokens.find_token(session, token))


def rotate_token(session: Session, token: str, grace: int) -> tuple[IssuedToken, Token]:
    return tokens.rotate_token(session, tokens.find_token(session, token), grace)


def set_quota(session: Session, store: str, max_plants: int | None) -> None:
    session.query("set_quota", id_of(session, store), max_plants)


def list_members(session: Session, store: str) -> list[Member]:
    rows = session.query("members_of_store", id_of(session, store))
    return [Member(subject, Role(role)) for subject, role in rows]


def delete_store(session: Session, store: str) -> None:
    store_id = id_of(session, store)
    for table in _STORE_TABLES:
        session.query(f"delete_from_{table}", store_id)


def list_events(session: Session, store: str) -> list[Event]:
    rows = session.query("events_of_store", id_of(session, store))
    return [to_event(*row) for row in rows]


def to_event(revision: int, kind: str, *values: Any) -> Event:  # noqa: ANN401 - a row's
    *plant, at, subject, label, token_id, is_deleted = values
    return Event(revision, kind, NewPlant(*plant), at, subject, label, token_id, bool(is_deleted))


def id_of(session: Session, store: str) -> int:
    return records.require_store(session, store).store_id


class Administration:
    """Administers a session's database, and closes the session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.close = session.close

    create_store = changing(records.insert_store)
    set_quota = changing(set_quota)
    delete_store = changing(delete_store)
    list_stores = reading(records.list_stores)
    create_user = changing(records.insert_user)
    list_users = reading(records.list_users)
    add_member = changing(add_member)
    remove_member = changing(remove_member)
    list_members = reading(list_members)
    create_token = changing(new_tokens.create_token)
    list_tokens = reading(list_tokens)
    find_token = reading(tokens.find_token)
    revoke_token = changing(revoke_token)
    revoke_tokens = changing(tokens.revoke_tokens)
    rotate_token = changing(rotate_token)
    list_events = reading(list_events)
