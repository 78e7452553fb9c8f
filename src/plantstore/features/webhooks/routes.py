"""Webhooks over HTTP, for owners who manage their store, and their delivery beside the requests."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from plantstore.core.model import Scope
from plantstore.core.pools import Pool
from plantstore.features.access.http.jobs import Job, JobQueue
from plantstore.features.access.http.owners import Change, Outcome, Owners, split
from plantstore.features.access.owners import Manager
from plantstore.features.webhooks import WebhookSettings, webhooks
from plantstore.features.webhooks.client import send_now
from plantstore.features.webhooks.deliverer import Deliverer
from plantstore.features.webhooks.records import Record, Target
from plantstore.http.app import App
from plantstore.http.preconditions import refuse_precondition
from plantstore.http.responses import NO_CONTENT, NO_STORE, json_response
from plantstore.server.messages import Request, Response
from plantstore.sql.session import Session

_MAX_JOBS = 64
_NO_CONTENT = 204
_MAX_TESTS = 16  # at the same time


def add_webhooks(app: App) -> None:
    """Add the routes, the gauges, and the delivery."""
    settings = app.settings.of(WebhookSettings)
    places = app.pools.add_pool(Pool("webhook_jobs", _MAX_JOBS))
    jobs = JobQueue(app.open_session, app.settings.write_timeout, places)
    app.at_close.append(jobs.close)
    owners = Owners(app, jobs)

    create = partial(webhooks.create_webhook, key=settings.webhook_key)
    rotate = partial(webhooks.rotate_webhook, key=settings.webhook_key)
    owners.reads("/webhooks", lambda *of: [row.describe() for row in webhooks.list_webhooks(*of)])
    owners.reads("/webhooks/{id}", lambda *of: webhooks.find_webhook(*of).describe())
    owners.reads("/webhooks/{id}/deliveries", _list_deliveries)
    for action, method, pattern, change, body in (
        ("create", "POST", "/webhooks", _respond(create, 201), Target),
        ("change", "PUT", "/webhooks/{id}", _respond(webhooks.change_webhook), Target),
        (
            "delete",
            "DELETE",
            "/webhooks/{id}",
            _respond(webhooks.delete_webhook, _NO_CONTENT),
            None,
        ),
        ("rotate", "POST", "/webhooks/{id}/rotate", _respond(rotate), None),
    ):
        owners.changes(f"webhook {action}", method, pattern, change, body)
    _add_sending(app, jobs, settings)
    deliverer = Deliverer(app.settings, app.open_session)
    app.gauges["webhooks_failing"] = lambda: deliverer.failing
    app.gauges["webhook_delay_seconds"] = lambda: deliverer.delay
    app.run_beside(deliverer.run(app.database))
    app.at_close.append(deliverer.close)


def _list_deliveries(session: Session, store_id: int, webhook_id: str) -> list[Record]:
    webhook = webhooks.find_webhook(session, store_id, webhook_id)
    return [row.describe() for row in webhooks.list_deliveries(session, webhook)]


def _respond(operate: Callable[..., Record], status: int = 200) -> Change:
    def change(session: Session, manager: Manager, *given: object) -> Outcome:
        record = operate(session, manager.store_id, *given)
        response = json_response(status, record, NO_STORE) if status != _NO_CONTENT else NO_CONTENT
        return response, {"webhook_id": record["id"]}  # an address may be as good as a token

    return change


def _add_sending(app: App, jobs: JobQueue, settings: WebhookSettings) -> None:
    """Add what sends a message while its request waits; each store has its share of the threads."""
    places = Pool("webhook_tests", _MAX_TESTS)  # full, it keeps no other request waiting
    threads = ThreadPoolExecutor(_MAX_TESTS, thread_name_prefix="webhook test")

    def add(pattern: str) -> None:
        async def send(request: Request, *path: str) -> Response:
            values, store = split(pattern, path)
            caller = await app.authentication.admit(request, store, Scope.MANAGE)
            refuse_precondition(request.headers)
            holder = caller.token_store_id
            webhook, message = await jobs.run(
                holder,
                lambda session, _: webhooks.find_message(session, caller.store_id, *values),
            )
            places.take(holder)
            try:
                delivery = await asyncio.get_running_loop().run_in_executor(
                    threads, send_now, webhook, message, settings
                )
            finally:
                places.give_back(holder)

            def log(session: Session, job: Job[None]) -> None:
                with job.transaction(session):
                    webhooks.log_deliveries(session, webhook, [delivery])

            await jobs.run(holder, log)
            return json_response(200, delivery.describe(), NO_STORE)

        app.routes.add_of_store(pattern, {"POST": send})

    add("/webhooks/{id}/test")
    add("/webhooks/{id}/deliveries/{number}/redeliver")
