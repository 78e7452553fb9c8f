"""Tells the system's log (syslog, journald) what an administrator changed, and who that was.

Nothing of it is printed: where the system has no such log, it is lost.
"""

import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from plantstore.core.logs import administration_logger
from plantstore.sql.administration.tokens import Token
from plantstore.sql.session import Session


@contextmanager
def changing(session: Session, command: str, **changed: object) -> Iterator[None]:
    """A transaction for what a command changes, which is logged when it is committed."""
    with session.transaction():
        yield
    log_change(command, **changed)


def log_change(command: str, **changed: object) -> None:
    """Log a command that has changed something; what is None is left out."""
    known = {key: value for key, value in changed.items() if value is not None}
    fields = {"command": command, **known, **describe_person()}
    administration_logger().info("administration", extra={"fields": fields})


def log_token(command: str, token: Token, **more: object) -> None:
    """Log a command that made or revoked a token."""
    log_change(command, token_id=token.token_id, store=token.store, user=token.subject, **more)


def describe_person() -> dict[str, object]:
    """Who runs this process; the last of the names is the person's, as far as it is known."""
    person: dict[str, object] = {"os_uid": os.getuid()}
    with suppress(KeyError):  # as in containers, a number may have no name
        person["os_user"] = pwd.getpwuid(os.getuid()).pw_name
    if sudo_user := os.environ.get("SUDO_USER"):
        person["sudo_user"] = sudo_user
    return person
