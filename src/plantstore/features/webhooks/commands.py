"""``plantstore webhook``: create, list, show, test, pause, resume, rotate, delete."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import click

from plantstore.cli.administration_log import noting
from plantstore.cli.options import session_options, store_option
from plantstore.cli.output import Output
from plantstore.cli.sources import find_sources
from plantstore.features.webhooks import WebhookSettings, webhooks
from plantstore.features.webhooks.client import send_now
from plantstore.features.webhooks.webhooks import KINDS, Delivery, Record, Target, Webhook, describe
from plantstore.sql.administration.records import require_store
from plantstore.sql.session import Session

_COLUMNS = ("id", "url", "events", "tag", "delivered", "revision", "failing_since", "paused")
_OF_LOG = ("number", "at", "type", "revision", "status", "duration_ms", "next_at", "response")
_store = store_option("Name of the store.", required=True)


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
    make = partial(webhooks.create_webhook, settings=_read_settings())
    _change("create", make, session, store, Target(**target), output)


@webhook.command("list")
@_store
@session_options
def list_webhooks(session: Session, store: str, output: Output) -> None:
    """List the webhooks of a store, and which of them are behind, failing or paused.

    \b
    Example:
      plantstore webhook list --store nursery
    """
    store_id = require_store(session, store).store_id
    _print_rows(webhooks.list_webhooks(session, store_id), _COLUMNS, output)


def _show(session: Session, store: str, webhook_id: str, output: Output) -> None:
    store_id = require_store(session, store).store_id
    _print_rows(webhooks.list_deliveries(session, store_id, webhook_id), _OF_LOG, output)


def _print_rows(
    rows: Sequence[Webhook | Delivery], columns: tuple[str, ...], output: Output
) -> None:
    output.print_records(({**dict.fromkeys(columns), **describe(row)} for row in rows), columns)


def _test(session: Session, store: str, webhook_id: str, output: Output) -> None:
    store_id = require_store(session, store).store_id
    delivery = send_now(session, _read_settings(), store_id, webhook_id)
    output.print_record(delivery)
    if not 200 <= (delivery.get("status") or 0) < 300:  # noqa: PLR2004 - as HTTP has it
        raise click.exceptions.Exit(1)


def _rotate(session: Session, store_id: int, webhook_id: str) -> Record:
    key = _read_settings().webhook_key
    return webhooks.rotate_webhook(session, store_id, webhook_id, key=key)


def _change(
    verb: str,
    operate: Callable[..., Record],
    session: Session,
    store: str,
    webhook_id: str | Target,
    output: Output,
) -> None:
    """Change a webhook, or create one that is so."""
    with noting(session) as note:  # without the address, which may contain a secret
        record = operate(session, require_store(session, store).store_id, webhook_id)
        note(f"webhook {verb}", store=store, webhook_id=record["id"])
    if "secret" not in record:
        output.report_change(record, f"{verb}d the webhook to {record['url']}")
        return
    output.note(f"{verb}d the webhook {record['id']} to {record['url']}; its secret, shown once:")
    output.print(record, record["secret"])


def _read_settings() -> WebhookSettings:
    return find_sources(click.get_current_context()).read(WebhookSettings)


def _add(verb: str, run: Callable[..., None], about: str) -> None:
    """Add a command on the webhook of an ID."""
    example = f"plantstore webhook {verb} --store nursery 1f0c9a52b7d84e63"
    command = click.argument("webhook_id", metavar="ID")(_store(session_options(run)))
    webhook.command(verb, help=f"{about}\n\n\b\nExample:\n  {example}")(command)


_pause = partial(webhooks.set_paused, reason="paused by the command line")
_resume = partial(webhooks.set_paused, reason=None)
_delete = webhooks.delete_webhook
_add("show", _show, "Show the last 100 deliveries to the webhook ID, the newest first.")
_add("test", _test, "Send a test to the webhook ID, and print what came back.")
for _verb, _operate, _about in (
    ("pause", _pause, "Pause the webhook ID until it is resumed; its messages wait."),
    ("resume", _resume, "Resume the webhook ID at once, beginning with the waiting messages."),
    ("rotate", _rotate, "Print a new secret for the webhook ID; the old one signs for 24 hours."),
    ("delete", _delete, "Delete the webhook ID and its waiting messages."),
):
    _add(_verb, partial(_change, _verb, _operate), _about)
