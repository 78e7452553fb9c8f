"""Administration for tests: each change is a transaction of its own, as in a command."""

from collections.abc import Callable, Iterator
from typing import Concatenate, ParamSpec, TypeVar

from msgspec import UNSET, UnsetType

from plantstore.databases import open_session
from plantstore.features.access import links, members, stores, users
from plantstore.features.access.links import Link
from plantstore.features.events import reading as events
from plantstore.features.events import restoring
from plantstore.features.events.reading import Event
from plantstore.model import Grant, Member, NewPlant, Role
from plantstore.sql.administration import new_tokens, records, rotation, tokens
from plantstore.sql.administration.tokens import IssuedToken, Token
from plantstore.sql.session import Session

Given = ParamSpec("Given")
Result = TypeVar("Result")
Function = Callable[Concatenate[Session, Given], Result]
Method = Callable[Concatenate["Administration", Given], Result]


def open_administration(url: str) -> "Administration":
    """The administration of the database of a URL."""
    return Administration(open_session(url))


def reading(function: Function[Given, Result]) -> Method[Given, Result]:
    """A function without a transaction, or with transactions of its own."""

    def read(self: "Administration", /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        return function(self.session, *args, **kwargs)

    return read


def changing(function: Function[Given, Result]) -> Method[Given, Result]:
    """A function in a transaction."""

    def change(self: "Administration", /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        with self.session.transaction():
            return function(self.session, *args, **kwargs)

    return change


def remove_member(session: Session, store: str, subject: str, *, keep_owners: bool = False) -> None:
    members.remove_member(session, id_of(session, store), subject, keep_owner=keep_owners)


def add_member(
    session: Session, store: str, subject: str, role: Role, *, keep_owners: bool = False
) -> Role | None:
    store_id, user = id_of(session, store), records.require_user(session, subject)
    return members.set_member(session, store_id, user, role, keep_owner=keep_owners)


def list_members(session: Session, store: str) -> list[Member]:
    return members.list_members(session, id_of(session, store))


def list_tokens(
    session: Session, store: str | None = None, subject: str | None = None
) -> list[Token]:
    store_id = None if store is None else id_of(session, store)
    user_id = None if subject is None else records.require_user(session, subject).user_id
    return tokens.list_tokens(session, store_id, user_id)


def revoke_token(session: Session, token: str) -> Token:
    return tokens.revoke_token(session, tokens.find_token(session, token))


def rotate_token(
    session: Session, token: str, grace: int, expires_at: int | UnsetType | None = UNSET
) -> tuple[IssuedToken, Token]:
    return rotation.rotate_token(session, tokens.find_token(session, token), grace, expires_at)


def create_link(session: Session, store: str, grant: Grant) -> Link:
    return links.create_link(session, id_of(session, store), grant)


def list_events(session: Session, store: str) -> Iterator[Event]:
    return events.list_events(session, records.require_store(session, store), events.EventQuery())


def restore_plant(session: Session, store: str, plant_id: int) -> NewPlant:
    return restoring.restore_plant(session, records.require_store(session, store), plant_id)


def id_of(session: Session, store: str) -> int:
    return records.require_store(session, store).store_id


class Administration:
    """Administers the database of a session, which it closes."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.close = session.close

    create_store = changing(records.insert_store)
    set_quota = changing(stores.set_quota)
    rename_store = changing(stores.rename_store)
    describe_store = reading(stores.describe_store)
    list_stores = reading(records.list_stores)
    delete_store = reading(stores.delete_store)
    create_user = changing(records.insert_user)
    rename_user = changing(users.rename_user)
    list_users = reading(records.list_users)
    list_memberships = reading(users.list_memberships)
    delete_user = reading(users.delete_user)
    add_member = changing(add_member)
    remove_member = changing(remove_member)
    list_members = reading(list_members)
    list_all_members = reading(members.list_all_members)
    create_token = changing(new_tokens.create_token)
    list_tokens = reading(list_tokens)
    find_token = reading(tokens.find_token)
    revoke_token = changing(revoke_token)
    revoke_tokens = changing(tokens.revoke_tokens)
    rotate_token = changing(rotate_token)
    create_link = changing(create_link)
    list_events = reading(list_events)
    restore_plant = changing(restore_plant)
