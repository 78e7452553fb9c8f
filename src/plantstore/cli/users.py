"""``plantstore user``: create, rename, show, list, delete."""

from collections.abc import Sequence
from contextlib import closing

import click

from plantstore.bootstrap import open_existing
from plantstore.cli.administration_log import log_change
from plantstore.cli.completion import complete_users
from plantstore.cli.confirmation import require_name
from plantstore.cli.options import change_options, database_option, json_option, yes_option
from plantstore.cli.output import print_change, print_json, print_record, print_records
from plantstore.sql.administered import Membership

_subject_argument = click.argument("subject", shell_complete=complete_users)


@click.group()
def user() -> None:
    """Create, rename, show and delete users."""


@user.command()
@click.argument("subject")
@database_option
@json_option
def create(subject: str, database: str, *, as_json: bool) -> None:
    """Create a user; SUBJECT is the user name.

    \b
    Example:
      plantstore user create ada
    """
    with closing(open_existing(database)) as administration:
        made = administration.create_user(subject)
    log_change("user create", user=subject)
    if as_json:
        print_json({"subject": made.subject})
    else:
        click.echo(made.subject)


@user.command()
@_subject_argument
@click.argument("new_subject")
@change_options
def rename(subject: str, new_subject: str, database: str, *, as_json: bool, quiet: bool) -> None:
    """Give the user SUBJECT another name, NEW_SUBJECT, in events too; tokens stay valid.

    \b
    Example:
      plantstore user rename ada ada.lovelace
    """
    with closing(open_existing(database)) as administration:
        administration.rename_user(subject, new_subject)
    log_change("user rename", user=subject, new_subject=new_subject)
    sentence = f"renamed the user {subject} to {new_subject}"
    record = {"subject": new_subject, "old_subject": subject}
    print_change(sentence, record, as_json=as_json, quiet=quiet)


@user.command()
@_subject_argument
@database_option
@json_option
def show(subject: str, database: str, *, as_json: bool) -> None:
    """Show the user SUBJECT: the roles in stores, and the ids of the tokens that are valid.

    \b
    Example:
      plantstore user show ada
    """
    with closing(open_existing(database)) as administration:
        memberships = administration.list_memberships(subject)
        tokens = administration.list_tokens(subject=subject)
    print_record(
        {
            "subject": subject,
            "stores": [_describe(found, as_json=as_json) for found in memberships],
            "tokens": [token.token_id for token in tokens if token.state.is_valid],
        },
        as_json=as_json,
    )


def _describe(found: Membership, *, as_json: bool) -> object:
    if as_json:
        return {"name": found.store, "role": found.role}
    return f"{found.store} ({found.role})"


@user.command("list")
@database_option
@json_option
def list_users(database: str, *, as_json: bool) -> None:
    """List all users.

    \b
    Example:
      plantstore user list --json
    """
    with closing(open_existing(database)) as administration:
        records = [{"subject": found.subject} for found in administration.list_users()]
    print_records(records, ("subject",), as_json=as_json)


@user.command()
@_subject_argument
@yes_option("Skip the confirmation prompt, even if a store loses its last owner.")
@change_options
def delete(subject: str, database: str, *, yes: bool, as_json: bool, quiet: bool) -> None:
    """Erase the user SUBJECT: memberships, tokens, and the name and token labels in events.

    The tokens are refused at once. The user's plants and events stay, as those of a deleted
    user. It asks for the name, unless --yes is given.

    \b
    Example:
      plantstore user delete ada --yes
    """
    with closing(open_existing(database)) as administration:
        memberships = administration.list_memberships(subject)
        require_name("user", subject, _warn(subject, memberships), yes=yes)
        administration.delete_user(subject)
    log_change("user delete", user=subject)
    stores = [found.store for found in memberships]
    sentence = f"deleted the user {subject}, a member of {', '.join(stores) or 'no store'}"
    record = {"subject": subject, "stores": stores}
    print_change(sentence, record, as_json=as_json, quiet=quiet)


def _warn(subject: str, memberships: Sequence[Membership]) -> str:
    warning = f"The user {subject} and the user's tokens will be deleted, permanently."
    orphans = [found.store for found in memberships if found.is_last_owner]
    return f"{warning} No owner is left in: {', '.join(orphans)}." if orphans else warning
