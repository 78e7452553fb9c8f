"""``plantstore webhook``: create, list, show, test, pause, resume, rotate, delete."""

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from plantstore.cli.administration_log import noting
from plantstore.cli.options import reading_options, session_options, store_option
from plantstore.cli.output import Output
from plantstore.cli.sources import find_sources
from plantstore.features.webhooks import WebhookSettings
from plantstore.features.webhooks.messages import find_message, log_now, send_now
from plantstore.features.webhooks.webhooks import KINDS, Target, Webhooks, describe
from plantstore.sql.administration.records import require_store
from plantstore.sql.session import Session

Operate = Callable[..., Any]
Columns = tuple[str, ...]

_COLUMNS = ("id", "url", "events", "tag", "delivered", "revision", "failing_since", "paused")
_OF_LOG = ("number", "at", "type", "revision", "status", "duration_ms", "next_at", "response")
_store = store_option(help="Name of the store.", required=True)


@click.group()
def webhook() -> None:
    """Send the changes of a store to other programs."""


@webhook.command()
@click.argument("url")
@_store
@click.option("--event", "events", multiple=True, type=click.Choice(KINDS), help="Only these.")
@click.option("--tag", metavar="TEXT", help="Only plants with this tag.")
@click.option("--description", default="", metavar="TEXT", help="A note for people.")
@session_options
def create(session: Session, store: str, output: Output, **target: Any) -> None:  # noqa: ANN401 - the values of all options
    """Send each change of a store to URL from now on, and print the secret that signs it.

    \b
    Example:
      plantstore webhook create --store nursery https://example.com/plants
    """
    _change("create", Webhooks.create, session, store, output, target=Target(**target))


def _change(
    verb: str, operate: Operate, session: Session, store: str, output: Output, **given: object
) -> None:
    with noting(session) as note:  # not the address, which may contain a secret
        webhooks = _find_webhooks(session, store)
        record = operate(webhooks, **given)
        if webhooks.has_changed:
            note(f"webhook {verb}", store=store, webhook_id=record["id"])
    sentence = f"{verb}d the webhook {record['id']} to {record['url']}"
    if "secret" in record:
        output.note(f"{sentence}; its secret, shown once:")
        output.print(record, record["secret"])
    else:
        output.report(record, sentence)


def _list(
    columns: Columns, read: Operate, session: Session, store: str, output: Output, **given: object
) -> None:
    rows = read(_find_webhooks(session, store), **given)
    output.print_records((dict.fromkeys(columns) | describe(row) for row in rows), columns)


def _test(session: Session, store: str, output: Output, webhook_id: str) -> None:
    webhooks = _find_webhooks(session, store)
    webhook, message = find_message(webhooks, webhook_id)
    delivery = send_now(webhooks.settings, webhook, message)
    log_now(session, webhook, delivery)
    output.print_record(describe(delivery))
    if not delivery.is_accepted:
        raise click.exceptions.Exit(1)


def _find_webhooks(session: Session, store: str) -> Webhooks:
    settings = find_sources().read(WebhookSettings)
    return Webhooks(session, require_store(session, store).store_id, settings)


def _add(verb: str, about: str, run: Operate, *arguments: str) -> None:
    """Add a command for a store or, with an ID argument, for a webhook."""
    options = reading_options if verb in {"list", "show"} else session_options
    command = _store(options(run))
    for argument in arguments:
        command = click.argument("webhook_id", metavar=argument)(command)
    words = " 1f0c9a52b7d84e63" if arguments else ""
    example = f"plantstore webhook {verb} --store nursery{words}"
    webhook.command(verb, help=f"{about}\n\n\b\nExample:\n  {example}")(command)


_list_all = partial(_list, _COLUMNS, Webhooks.list_all)
_show = partial(_list, _OF_LOG, Webhooks.list_deliveries)
_pause = partial(_change, "pause", Webhooks.change, paused="paused by the command line")
_resume = partial(_change, "resume", Webhooks.change, paused=None)
_rotate = partial(_change, "rotate", Webhooks.rotate)
_delete = partial(_change, "delete", Webhooks.delete)
_add("list", "List the webhooks of a store, and which are behind, failing or paused.", _list_all)
_add("show", "Show the last 100 deliveries to the webhook ID, the newest first.", _show, "ID")
_add("test", "Send a test to the webhook ID, and print what came back.", _test, "ID")
_add("pause", "Pause the webhook ID until it is resumed; its messages wait.", _pause, "ID")
_add("resume", "Resume the webhook ID, beginning with the waiting messages.", _resume, "ID")
_add("rotate", "Print a new secret of the webhook ID; the old one signs for a day.", _rotate, "ID")
_add("delete", "Delete the webhook ID and its waiting messages.", _delete, "ID")
