"""Webhooks over HTTP, for owners who manage their store, and their delivery beside the requests."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial

from msgspec import Struct

from plantstore.core.errors import DatabaseUnavailableError, SetupError
from plantstore.core.model import Caller, Scope
from plantstore.core.pools import Pool
from plantstore.features.access.http.jobs import JobQueue
from plantstore.features.access.http.owners import Outcome, Owners, split
from plantstore.features.webhooks import WebhookSettings, webhooks
from plantstore.features.webhooks.client import send_now
from plantstore.features.webhooks.deliverer import Deliverer
from plantstore.features.webhooks.webhooks import Record, Target, describe, list_deliveries
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
    _add_changes(owners, settings)
    _add_sending(app, settings)
    deliverer = Deliverer(app.settings, app.open_session)
    app.gauges["webhooks_failing"] = lambda: deliverer.failing
    app.gauges["webhook_delay_seconds"] = lambda: deliverer.delay
    app.run_beside(deliverer.run(app.database))
    app.at_close.append(deliverer.close)


def _add_changes(owners: Owners, settings: WebhookSettings) -> None:
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

    create = partial(webhooks.create_webhook, settings=settings)
    add("create", "POST /webhooks", create, Target, _CREATED)
    change_target = partial(webhooks.change_webhook, settings=settings)
    add("change", f"PUT {_ONE}", change_target, Target)
    add("delete", f"DELETE {_ONE}", webhooks.delete_webhook, status=_NO_CONTENT)
    add("rotate", f"POST {_ONE}/rotate", partial(webhooks.rotate_webhook, key=settings.webhook_key))


def _add_sending(app: App, settings: WebhookSettings) -> None:
    """Add the routes that send a message while the request waits; stores share the threads."""
    places = Pool("webhook_tests", _MAX_TESTS)  # full, it keeps no other request waiting
    threads = ThreadPoolExecutor(_MAX_TESTS, thread_name_prefix="webhook test")

    def work(store_id: int, *values: str) -> Record:
        try:
            with closing(app.open_session()) as session:
                return send_now(session, settings, store_id, *values)
        except SetupError as error:
            raise DatabaseUnavailableError from error

    async def send(pattern: str, request: Request, *path: str) -> Response:
        values, store = split(pattern, path)
        caller = await app.authentication.admit(request, store, Scope.MANAGE)
        refuse_precondition(request.headers)
        places.take(caller.token_store_id)
        try:
            run = asyncio.get_running_loop().run_in_executor
            record = await run(threads, work, caller.store_id, *values)
        finally:
            places.give_back(caller.token_store_id)
        return json_response(200, record, NO_STORE)

    for pattern in (f"{_ONE}/test", f"{_ONE}/deliveries/{{number}}/redeliver"):
        app.routes.add_of_store(pattern, {"POST": partial(send, pattern)})
