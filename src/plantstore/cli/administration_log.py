"""Records who changed what by a command, in the audit trail and the system's log.

Log lines go only to the system's log (syslog, journald); without a system's log they are lost.
"""

import os
import pwd
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

from plantstore.core.logs import administration_logger
from plantstore.core.settings import without_password
from plantstore.databases import open_session
from plantstore.sql.administration.audit import Actor, write_audit
from plantstore.sql.administration.records import find_user
from plantstore.sql.administration.tokens import Token
from plantstore.sql.session import Session


@contextmanager
def changing(session: Session, command: str, **changed: object) -> Iterator[None]:
    """A transaction for a command's change, recorded at its end: see ``noting``."""
    with noting(session) as note:
        yield
        note(command, **changed)


@contextmanager
def noting(session: Session) -> Iterator[Callable[..., None]]:
    """A transaction for a command's changes.

    The block records each change: in the audit trail at once, and in the log after the commit.
    Fields that are None are omitted; a ``user`` must exist when the change is recorded.
    """
    noted: list[dict[str, object]] = []

    def note(command: str, *, store: object = None, **changed: object) -> None:
        user = find_user(session, str(changed["user"])) if changed.get("user") else None
        actor = Actor(socket.gethostname(), name=name_person())
        write_audit(session, actor, command, store, user and user.user_id, **changed)
        noted.append({"command": command, "store": store, **changed, **describe_person()})

    with session.transaction():
        yield note
    for fields in noted:
        known = {key: value for key, value in fields.items() if value is not None}
        administration_logger().info("administration", extra={"fields": known})


def note_in_database(database: str, command: str, **changed: object) -> None:
    """Record what a command has changed in the database of a URL."""
    with closing(open_session(database)) as session:
        note_change(session, command, database=without_password(database), **changed)


def note_change(session: Session, command: str, **changed: object) -> None:
    """Record what a command has changed in transactions of its own."""
    with changing(session, command, **changed):
        pass


def name_token(token: Token) -> dict[str, str]:
    """The fields of a record about a token."""
    return {"token_id": token.token_id, "store": token.store, "user": token.subject}


def name_person() -> str:
    """The name or number of the person who runs this process: before sudo, if it was used."""
    *_, name = describe_person().values()
    return str(name)


def describe_person() -> dict[str, object]:
    """The user who runs this process; the last field is the person."""
    person: dict[str, object] = {"os_uid": os.getuid()}
    with suppress(KeyError):  # a number may have no name, as in containers
        person["os_user"] = pwd.getpwuid(os.getuid()).pw_name
    if sudo_user := os.environ.get("SUDO_USER"):
        person["sudo_user"] = sudo_user
    return person
