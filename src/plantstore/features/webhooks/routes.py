"""Webhooks over HTTP, for owners who manage their store, and their delivery beside the requests."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from msgspec import Struct

from plantstore.core.model import Caller, Scope
from plantstore.core.pools import Pool
from plantstore.features.access.http.jobs import Job, JobQueue
from plantstore.features.access.http.owners import Outcome, Owners, split
from plantstore.features.webhooks import WebhookSettings, webhooks
from plantstore.features.webhooks.client import send_now
from plantstore.features.webhooks.deliverer import Deliverer
from plantstore.features.webhooks.messages import Message
from plantstore.features.webhooks.webhooks import Record, Target, Webhook, describe, list_deliveries
from plantstore.http.app import App
from plantstore.http.preconditions import refuse_precondition
from plantstore.http.responses import NO_CONTENT, NO_STORE, json_response
from plantstore.server.messages import Request, Response
from plantstore.sql.session import Session

_MAX_JOBS = 64
_MAX_TESTS = 16  # at the same time
_CREATED, _NO_CONTENT = 201, 204
_ONE = "/webhooks/{id}"


def add_webhooks(app: App) -> None:
    """Add the routes, the gauges, and the delivery."""
    settings = app.settings.of(WebhookSettings)
    places = app.pools.add_pool(Pool("webhook_jobs", _MAX_JOBS))
    jobs = JobQueue(app.open_session, app.settings.write_timeout, places)
    app.at_close.append(jobs.close)
    owners = Owners(app, jobs)
    owners.reads("/webhooks", lambda *of: list(map(describe, webhooks.list_webhooks(*of))))
    owners.reads(_ONE, lambda *of: describe(webhooks.find_webhook(*of)))
    owners.reads(f"{_ONE}/deliveries", lambda *of: list(map(describe, list_deliveries(*of))))
    _add_changes(owners, settings.webhook_key)
    _add_sending(app, jobs, settings)
    deliverer = Deliverer(app.settings, app.open_session)
    app.gauges["webhooks_failing"] = lambda: deliverer.failing
    app.gauges["webhook_delay_seconds"] = lambda: deliverer.delay
    app.run_beside(deliverer.run(app.database))
    app.at_close.append(deliverer.close)


def _add_changes(owners: Owners, key: str | None) -> None:
    def add(
        verb: str,
        route: str,
        operate: Callable[..., Record],
        body: type[Struct] | None = None,
        status: int = 200,
    ) -> None:
        def change(session: Session, manager: Caller, *given: object) -> Outcome:
            record = operate(session, manager.store_id, *given)
            has_body = status != _NO_CONTENT
            response = json_response(status, record, NO_STORE) if has_body else NO_CONTENT
            return response, {"webhook_id": record["id"]}  # no address: it may be a secret

        method, pattern = route.split()
        owners.changes(f"webhook {verb}", method, pattern, change, body)

    create = partial(webhooks.create_webhook, key=key)
    add("create", "POST /webhooks", create, Target, _CREATED)
    add("change", f"PUT {_ONE}", webhooks.change_webhook, Target)
    add("delete", f"DELETE {_ONE}", webhooks.delete_webhook, status=_NO_CONTENT)
    add("rotate", f"POST {_ONE}/rotate", partial(webhooks.rotate_webhook, key=key))


def _add_sending(app: App, jobs: JobQueue, settings: WebhookSettings) -> None:
    """Add what sends a message while its request waits; each store has its share of the threads."""
    places = Pool("webhook_tests", _MAX_TESTS)  # full, it keeps no other request waiting
    threads = ThreadPoolExecutor(_MAX_TESTS, thread_name_prefix="webhook test")

    async def send(pattern: str, request: Request, *path: str) -> Response:
        values, store = split(pattern, path)
        caller = await app.authentication.admit(request, store, Scope.MANAGE)
        refuse_precondition(request.headers)
        holder = caller.token_store_id

        def find(session: Session, _: Job[tuple[Webhook, Message]]) -> tuple[Webhook, Message]:
            return webhooks.find_message(session, caller.store_id, *values)

        webhook, message = await jobs.run(holder, find)
        places.take(holder)
        try:
            run = asyncio.get_running_loop().run_in_executor
            delivery = await run(threads, send_now, webhook, message, settings)
        finally:
            places.give_back(holder)

        def log(session: Session, job: Job[None]) -> None:
            with job.transaction(session):
                webhooks.log_deliveries(session, webhook, [delivery])

        await jobs.run(holder, log)
        return json_response(200, describe(delivery), NO_STORE)

    for pattern in (f"{_ONE}/test", f"{_ONE}/deliveries/{{number}}/redeliver"):
        app.routes.add_of_store(pattern, {"POST": partial(send, pattern)})
