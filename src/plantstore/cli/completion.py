"""Completes values in the shell: stores, users and tokens of the command's database.

Invariant: nothing is created, and nothing but the values is printed, whatever fails.
"""

import logging
from collections.abc import Callable, Iterable
from contextlib import closing, suppress

import click
from click.shell_completion import CompletionItem

from plantstore.cli.sources import find_sources
from plantstore.core.settings import load_database
from plantstore.databases import open_session
from plantstore.sql.administration import records, tokens
from plantstore.sql.session import Session

_MAX_ITEMS = 200

Read = Callable[[Session], Iterable[CompletionItem]]
Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completing(read: Read) -> Complete:
    def complete(
        context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        logging.disable()  # also warnings, such as of the file's permissions
        found: list[CompletionItem] = []
        with (
            suppress(Exception),
            closing(open_session(load_database(find_sources(context)))) as session,
        ):
            found += (item for item in read(session) if str(item.value).startswith(incomplete))
        return found[:_MAX_ITEMS]

    return complete


def _read_tokens(session: Session) -> Iterable[CompletionItem]:
    for token in tokens.list_tokens(session):
        if token.revoked_at is None:
            about = f"{token.subject} for {token.store} {token.label}"
            yield CompletionItem(token.token_id, help=about)


complete_stores = _completing(
    lambda session: [CompletionItem(store.name) for store in records.list_stores(session)]
)
complete_users = _completing(
    lambda session: [CompletionItem(user.subject) for user in records.list_users(session)]
)
complete_tokens = _completing(_read_tokens)
