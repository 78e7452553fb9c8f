"""``plantstore webhook``: create, list, show, test, pause, resume, rotate, delete."""

from collections.abc import Callable
from functools import wraps

import click

from plantstore.cli.administration_log import changing, noting
from plantstore.cli.options import change_options, read_options, store_option
from plantstore.cli.output import Output
from plantstore.cli.sources import find_sources
from plantstore.features.webhooks import WebhookSettings, webhooks
from plantstore.features.webhooks.client import send_now
from plantstore.features.webhooks.messages import make_secret, message_of_test, reveal_secret
from plantstore.features.webhooks.webhooks import KINDS, Record, Webhook, find_webhook
from plantstore.sql.administration.records import require_store
from plantstore.sql.session import Session

_COLUMNS = ("id", "url", "events", "tag", "delivered", "revision", "failing_since", "paused")
_OF_LOG = ("number", "at", "type", "revision", "status", "duration_ms", "next_at", "response")


@click.group()
def webhook() -> None:
    """Send the changes of a store to other programs."""


def _of_one(command: Callable[..., None]) -> click.Command:
    """A command on the webhook of an ID, which it gets as ``found``."""

    @wraps(command)
    def run(*, session: Session, store: str, id: str, output: Output) -> None:  # noqa: A002 - the argument's name
        found = find_webhook(session, require_store(session, store).store_id, id)
        command(session, found, output)

    named = store_option("Name of the store.", required=True)(change_options(run))
    return webhook.command()(click.argument("id")(named))


@webhook.command()
@click.argument("url")
@store_option("Name of the store.", required=True)
@click.option("--event", "kinds", multiple=True, type=click.Choice(KINDS), help="Only these.")
@click.option("--tag", metavar="TEXT", help="Only plants with this tag.")
@click.option("--description", default="", metavar="TEXT", help="A note for people.")
@change_options
def create(session: Session, store: str, url: str, output: Output, **target: object) -> None:
    """Send each change of a store to URL from now on, and print the secret that signs it.

    \b
    Example:
      plantstore webhook create --store nursery https://example.com/plants
    """
    with noting(session) as note:  # without the address: it may be as good as a token
        store_id = require_store(session, store).store_id
        secret = make_secret(_read_settings().webhook_key)
        made = webhooks.create_webhook(session, store_id, secret, url=url, **target)
        note("webhook create", store=store, webhook_id=made.webhook_id)
    _print_secret(made, output)


@webhook.command("list")
@store_option("Name of the store.", required=True)
@read_options
def list_webhooks(session: Session, store: str, output: Output) -> None:
    """List the webhooks of a store, and which of them are behind, failing or paused.

    \b
    Example:
      plantstore webhook list --store nursery
    """
    listed = webhooks.list_webhooks(session, require_store(session, store).store_id)
    output.print_records((_complete(one.describe(), _COLUMNS) for one in listed), _COLUMNS)


@_of_one
def show(session: Session, found: Webhook, output: Output) -> None:
    """Show the last 100 deliveries to the webhook ID, the newest first.

    \b
    Example:
      plantstore webhook show --store nursery 1f0c9a52b7d84e63
    """
    listed = webhooks.list_deliveries(session, found)
    output.print_records((_complete(one.describe(), _OF_LOG) for one in listed), _OF_LOG)


@_of_one
def test(session: Session, found: Webhook, output: Output) -> None:
    """Send a test to the webhook ID, and print what came back.

    \b
    Example:
      plantstore webhook test --store nursery 1f0c9a52b7d84e63
    """
    sent = send_now(found, message_of_test(found.store), _read_settings())
    with session.transaction():
        webhooks.log_deliveries(session, found, [sent])
    output.print_record(sent.describe())


@_of_one
def pause(session: Session, found: Webhook, output: Output) -> None:
    """Send nothing to the webhook ID until it is resumed; its messages wait.

    \b
    Example:
      plantstore webhook pause --store nursery 1f0c9a52b7d84e63
    """
    _change(session, "pause", found, output, "paused by the command line")


@_of_one
def resume(session: Session, found: Webhook, output: Output) -> None:
    """Send to the webhook ID again, at once, beginning with what waits.

    \b
    Example:
      plantstore webhook resume --store nursery 1f0c9a52b7d84e63
    """
    _change(session, "resume", found, output, None)


@_of_one
def rotate(session: Session, found: Webhook, output: Output) -> None:
    """Print a new secret for the webhook ID; the old one signs too for 24 hours.

    \b
    Example:
      plantstore webhook rotate --store nursery 1f0c9a52b7d84e63
    """
    with changing(session, "webhook rotate", store=found.store, webhook_id=found.webhook_id):
        secret = make_secret(_read_settings().webhook_key)
        rotated = webhooks.rotate_webhook(session, found, secret)
    _print_secret(rotated, output)


@_of_one
def delete(session: Session, found: Webhook, output: Output) -> None:
    """Delete the webhook ID, with what waits for it.

    \b
    Example:
      plantstore webhook delete --store nursery 1f0c9a52b7d84e63
    """
    _change(session, "delete", found, output)


def _change(
    session: Session, verb: str, found: Webhook, output: Output, *arguments: object
) -> None:
    with changing(session, f"webhook {verb}", store=found.store, webhook_id=found.webhook_id):
        session.query("set_paused" if arguments else "delete_webhook", *found.place, *arguments)
    output.report_change(found.describe(), f"{verb}d the webhook to {found.url}")


def _print_secret(made: Webhook, output: Output) -> None:
    secret = reveal_secret(made.secret, _read_settings().webhook_key)
    output.note(f"messages to {made.url} are signed with this secret, which is shown once:")
    output.print(made.describe(secret), secret)


def _read_settings() -> WebhookSettings:
    return find_sources(click.get_current_context()).read(WebhookSettings)


def _complete(record: Record, columns: tuple[str, ...]) -> Record:
    return {**dict.fromkeys(columns), **record}
