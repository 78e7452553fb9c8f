"""Webhooks over HTTP, for owners who manage their store, and their delivery beside the requests."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from plantstore.core.model import Scope
from plantstore.core.pools import Pool
from plantstore.features.access.http.bodies import Text
from plantstore.features.access.http.jobs import Job, JobQueue
from plantstore.features.access.http.owners import Outcome, Owners
from plantstore.features.access.owners import Manager
from plantstore.features.webhooks import WebhookSettings, webhooks
from plantstore.features.webhooks.client import send_now
from plantstore.features.webhooks.deliverer import Deliverer
from plantstore.features.webhooks.messages import (
    Message,
    make_secret,
    message_again,
    message_of_test,
    reveal_secret,
)
from plantstore.features.webhooks.webhooks import Record, Webhook, find_webhook
from plantstore.http.app import App
from plantstore.http.preconditions import refuse_precondition
from plantstore.http.responses import NO_CONTENT, NO_STORE, json_response
from plantstore.server.messages import Request, Response
from plantstore.sql.session import Session

_MAX_JOBS = 64
_MAX_TESTS = 16  # at the same time

Kind = Literal["plant.created", "plant.updated", "plant.deleted"]
ToSend = tuple[Webhook, Message]


class WebhookRequest(Struct, frozen=True):
    """The body that creates a webhook, or changes all of it."""

    url: Text
    events: Annotated[
        list[Kind] | None,
        Meta(description="an array of plant.created, plant.updated and plant.deleted, or null"),
    ] = None
    tag: Annotated[str | None, Meta(description="a string, or null")] = None
    description: Text = ""
    paused: Annotated[bool, Meta(description="true or false")] = False

    @property
    def target(self) -> dict[str, Any]:
        """What it asks for."""
        names = {"url": self.url, "tag": self.tag, "description": self.description}
        return {**names, "kinds": tuple(self.events or ())}


def add_webhooks(app: App) -> None:
    """Add the routes, the gauges, and the delivery."""
    key = app.settings.of(WebhookSettings).webhook_key
    places = app.pools.add_pool(Pool("webhook_jobs", _MAX_JOBS))
    jobs = JobQueue(app.open_session, app.settings.write_timeout, places)
    app.at_close.append(jobs.close)

    def create(session: Session, manager: Manager, body: WebhookRequest) -> Outcome:
        secret = make_secret(key)
        made = webhooks.create_webhook(session, manager.store_id, secret, **body.target)
        return _respond(made, 201, reveal_secret(secret, key))

    def rotate(session: Session, manager: Manager, webhook_id: str) -> Outcome:
        found, secret = find_webhook(session, manager.store_id, webhook_id), make_secret(key)
        rotated = webhooks.rotate_webhook(session, found, secret)
        return _respond(rotated, 200, reveal_secret(secret, key))

    owners, tests = Owners(app, jobs), Tests(app, jobs)
    owners.reads("/webhooks", _list_webhooks)
    owners.changes("webhook create", "POST", "/webhooks", create, WebhookRequest)
    owners.reads("/webhooks/{id}", _read_webhook)
    owners.changes("webhook change", "PUT", "/webhooks/{id}", _change_webhook, WebhookRequest)
    owners.changes("webhook delete", "DELETE", "/webhooks/{id}", _delete_webhook)
    owners.changes("webhook rotate", "POST", "/webhooks/{id}/rotate", rotate)
    owners.reads("/webhooks/{id}/deliveries", _list_deliveries)
    tests.add("/webhooks/{id}/test", _make_test)
    tests.add("/webhooks/{id}/deliveries/{number}/redeliver", _make_again)
    deliverer = Deliverer(app.settings, app.open_session)
    app.gauges["webhooks_failing"] = lambda: deliverer.failing
    app.gauges["webhook_delay_seconds"] = lambda: deliverer.delay
    app.run_beside(deliverer.run(app.database))
    app.at_close.append(deliverer.close)


def _list_webhooks(session: Session, store_id: int) -> list[Record]:
    return [one.describe() for one in webhooks.list_webhooks(session, store_id)]


def _read_webhook(session: Session, store_id: int, webhook_id: str) -> Record:
    return find_webhook(session, store_id, webhook_id).describe()


def _list_deliveries(session: Session, store_id: int, webhook_id: str) -> list[Record]:
    found = find_webhook(session, store_id, webhook_id)
    return [one.describe() for one in webhooks.list_deliveries(session, found)]


def _change_webhook(
    session: Session, manager: Manager, webhook_id: str, body: WebhookRequest
) -> Outcome:
    place = find_webhook(session, manager.store_id, webhook_id).place
    session.query("change_webhook", *place, *webhooks.check(**body.target))
    session.query("set_paused", *place, "paused by an owner" if body.paused else None)
    return _respond(find_webhook(session, *place))


def _delete_webhook(session: Session, manager: Manager, webhook_id: str) -> Outcome:
    found = find_webhook(session, manager.store_id, webhook_id)
    session.query("delete_webhook", *found.place)
    return NO_CONTENT, _respond(found)[1]


def _respond(webhook: Webhook, status: int = 200, secret: str | None = None) -> Outcome:
    logged = {"webhook_id": webhook.webhook_id}  # an address may be as good as a token
    return json_response(status, webhook.describe(secret), NO_STORE), logged


def _make_test(session: Session, store_id: int, webhook_id: str) -> ToSend:
    webhook = find_webhook(session, store_id, webhook_id)
    return webhook, message_of_test(webhook.store)


def _make_again(session: Session, store_id: int, webhook_id: str, number: str) -> ToSend:
    webhook = find_webhook(session, store_id, webhook_id)
    delivery = webhooks.find_delivery(session, webhook, number)
    return webhook, message_again(session, webhook, delivery)


class Tests:
    """Messages that are sent while their request waits; each store has its share of the threads."""

    def __init__(self, app: App, jobs: JobQueue) -> None:
        self._app = app
        self._jobs = jobs
        self._places = Pool("webhook_tests", _MAX_TESTS)  # full, it keeps no other request waiting
        self._threads = ThreadPoolExecutor(_MAX_TESTS, thread_name_prefix="webhook test")

    def add(self, pattern: str, make: Callable[..., ToSend]) -> None:
        """Add what sends what ``make`` makes of a session, a store and the path's values."""
        count, loop_of = pattern.count("{"), asyncio.get_running_loop

        async def send(request: Request, *path: str) -> Response:
            store = path[count] if len(path) > count else None
            caller = await self._app.authentication.admit(request, store, Scope.MANAGE)
            refuse_precondition(request.headers)
            holder = caller.token_store_id

            def find(session: Session, _job: Job[ToSend]) -> ToSend:
                return make(session, caller.store_id, *path[:count])

            webhook, message = await self._jobs.run(holder, find)
            settings = self._app.settings.of(WebhookSettings)
            self._places.take(holder)
            try:
                sending = loop_of().run_in_executor(
                    self._threads, send_now, webhook, message, settings
                )
                delivery = await sending
            finally:
                self._places.give_back(holder)

            def log(session: Session, job: Job[None]) -> None:
                with job.transaction(session):
                    webhooks.log_deliveries(session, webhook, [delivery])

            await self._jobs.run(holder, log)
            return json_response(200, delivery.describe(), NO_STORE)

        self._app.routes.add_of_store(pattern, {"POST": send})
