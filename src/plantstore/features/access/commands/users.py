"""``plantstore user``: create, rename, list, delete."""

import re
from collections import Counter

import click

from plantstore.cli.administration_log import changing, noting
from plantstore.cli.confirmation import require_name
from plantstore.cli.options import reading_options, session_options, yes_option
from plantstore.cli.output import Output
from plantstore.core.model import DELETED_USER, Role, User
from plantstore.features.access.members import list_all_members
from plantstore.sql.administration import records
from plantstore.sql.administration.new_tokens import begin_label
from plantstore.sql.session import Queries, Session


@click.group()
def user() -> None:
    """Create, rename, list and delete users."""


@user.command()
@click.argument("subject")
@session_options
def create(session: Session, subject: str, output: Output) -> None:
    """Create a user; SUBJECT is the user name.

    \b
    Example:
      plantstore user create ada
    """
    with changing(session, "user create", user=subject):
        records.insert_user(session, subject)
    output.print({"subject": subject}, subject)


@user.command()
@click.argument("subject")
@click.argument("new_subject")
@session_options
def rename(session: Session, subject: str, new_subject: str, output: Output) -> None:
    """Rename the user SUBJECT to NEW_SUBJECT, in events and labels too. Tokens stay valid.

    \b
    Example:
      plantstore user rename ada ada.lovelace
    """
    user = records.require_user(session, subject)
    records.require_free_subject(session, new_subject)
    rename_labels(session, user, new_subject)
    with noting(session) as note:
        note("user rename", user=subject, new_subject=new_subject)  # before: it finds the user
        records.require_free_subject(session, new_subject)
        session.query("rename_user", user.user_id, new_subject)
    record = {"subject": new_subject, "old_subject": subject}
    output.report(record, f"renamed the user {subject} to {new_subject}")


@user.command("list")
@reading_options
def list_users(session: Queries, output: Output) -> None:
    """List all users, with their roles in stores.

    \b
    Example:
      plantstore user list --json
    """
    stores: dict[str, list[object]] = {}
    for store, subject, role in list_all_members(session):
        shown = {"name": store, "role": role} if output.as_json else f"{store} ({role})"
        stores.setdefault(subject, []).append(shown)
    users = (user.subject for user in records.list_users(session))
    described = ({"subject": user, "stores": stores.get(user, [])} for user in users)
    output.print_records(described, ("subject", "stores"))


@user.command()
@click.argument("subject")
@yes_option(help="Skip the confirmation prompt, even if a store loses its last owner.")
@session_options
def delete(session: Session, subject: str, output: Output, *, yes: bool) -> None:
    """Erase the user SUBJECT: memberships, tokens, and the name and token labels in events.

    The tokens are refused at once. The user's plants and events stay, as those of a deleted
    user. It asks for the name, unless --yes is given.

    \b
    Example:
      plantstore user delete ada --yes
    """
    user = records.require_user(session, subject)
    members = list_all_members(session)
    stores = [store for store, member, _ in members if member == subject]
    owners = [(store, member) for store, member, role in members if role is Role.OWNER]
    counts = Counter(store for store, _ in owners)
    warning = f"The user {subject} and the user's tokens will be deleted, permanently."
    if orphans := [store for store in stores if (store, subject) in owners and counts[store] == 1]:
        warning += f" No owner is left in: {', '.join(orphans)}."
    require_name("user", subject, warning, yes=yes)
    with changing(session, "user delete", user=subject):
        end_access(session, user)
    is_gone = erase_user(session, user)
    sentence = f"deleted the user {subject}, a member of {', '.join(stores) or 'no store'}"
    output.report({"subject": subject, "stores": stores}, sentence)
    if not is_gone:
        output.note("a list is still being read: the WAL keeps the name until later writes")


def rename_labels(session: Session, user: User, new_subject: str) -> None:
    """Rename a user in default labels, also of events, in transactions of its own.

    Do it before the user is renamed, so that the same command finishes an interrupted renaming.
    """
    labels = _find_labels(user, begin_label(new_subject))
    with session.transaction():
        _relabel_tokens(session, labels)
    _relabel_events(session, labels)


def erase_user(session: Session, user: User) -> bool:
    """Erase a user whose access has ended, in transactions of its own, also in events.

    The last transaction deletes the user's row, so the same command finishes an interrupted
    erasure. Events stay, as those of a deleted user, without the token's label, which may contain
    the name. Returns whether no old copy of the name is left in the database's files.
    """
    _relabel_events(session, _find_labels(user), user.user_id)
    with session.transaction():
        end_access(session, user)  # a token may have been created meanwhile
        session.query("delete_user", user.user_id)
    return session.drop_old_pages()


def end_access(session: Queries, user: User) -> None:
    """Delete the memberships and tokens of a user, and the user's name in labels."""
    for query in ("delete_memberships_of", "delete_tokens_of", "delete_keys_of"):
        session.query(query, user.user_id)
    _relabel_tokens(session, _find_labels(user))


def _relabel_tokens(session: Queries, labels: tuple[str, str]) -> None:
    for query in ("relabel_tokens", "relabel_links"):
        session.query(query, *labels)


def _relabel_events(session: Session, labels: tuple[str, str], deleted: int | None = None) -> None:
    """Relabel in parts: the events are found before other writes are locked out."""
    for store in records.list_stores(session):
        with session.transaction():  # wait for batches that had begun
            session.query("lock_revisions", store.store_id, store.store_id)
        after, whose = 0, (deleted, labels[0])
        while rows := session.query("find_events_of", store.store_id, after, *whose):
            first, after = rows[0][0], rows[-1][0]
            values = (first, after, deleted, *labels, DELETED_USER)
            with session.transaction():
                session.query("relabel_events", store.store_id, *values)


def _find_labels(user: User, new_beginning: str = "") -> tuple[str, str]:
    """The pattern of default labels with the user's name, and what replaces the name in them."""
    return re.sub("[!%_]", r"!\g<0>", begin_label(user.subject)) + "____-__-__", new_beginning
