"""Webhooks over HTTP, for owners, and their delivery in the background."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial

from plantstore.core.database import Database
from plantstore.core.errors import NoSuchWebhookError
from plantstore.core.model import Caller, Scope
from plantstore.core.operations import require_scope
from plantstore.core.pools import Pool
from plantstore.core.thread import run_in_thread
from plantstore.features.access.http.owners import UNCHANGED, Change, Outcome, Owners, split
from plantstore.features.webhooks import WebhookSettings
from plantstore.features.webhooks.delivery import Deliverer
from plantstore.features.webhooks.messages import find_message, log_now, send_now
from plantstore.features.webhooks.webhooks import Delivery, Target, Webhook, Webhooks, describe
from plantstore.http.app import App
from plantstore.http.responses import NO_STORE, Record, json_response
from plantstore.http.write_headers import refuse_precondition
from plantstore.server.messages import Request, Response
from plantstore.sql.session import Session

_ONE = "/webhooks/{id}"


def add_webhooks(app: App) -> None:
    """Add the routes, the gauges, and the delivery."""
    settings = app.settings.of(WebhookSettings)
    of = partial(Webhooks, settings=settings)
    slots = Pool("webhook_tests", 16)
    begins = defaultdict[int, asyncio.Lock](asyncio.Lock)  # by store

    def change(operate: Callable[..., Record], status: int = 200) -> Change:
        def run(session: Session, by: Caller, *given: object) -> Outcome:
            if Target in map(type, given):
                require_scope(by, Scope.LIST)  # messages have the plants
            webhooks = of(session, by.store_id)
            record = operate(webhooks, *given)
            # Not the address: it may contain a secret.
            changed = {"webhook_id": record["id"]} if webhooks.has_changed else UNCHANGED
            return (status, record, changed) if status else (204, None, changed)

        return run

    async def send(pattern: str, request: Request, *path: str) -> Response:
        ids, store = split(pattern, path)
        caller = await app.authentication.admit(request, store, Scope.MANAGE)
        refuse_precondition(request.headers)
        holder, store_id = caller.token_store_id, caller.store_id

        async def send_and_log() -> Delivery:
            try:
                found = await app.administer(
                    holder, lambda it: find_message(of(it, store_id), *ids)
                )
                async with begins[store_id]:
                    await asyncio.sleep(0.1)  # each costs much CPU
                # The receiver may let it wait: meanwhile it uses no connection to the database.
                delivery = await run_in_thread(partial(send_now, settings, *found))
            finally:
                slots.release(holder)
            await app.administer(holder, lambda it: log_now(it, found[0], delivery))
            return delivery

        slots.acquire(holder)
        sending = asyncio.ensure_future(send_and_log())
        delivery = await asyncio.shield(sending)  # it goes on if the client has gone
        return json_response(200, describe(delivery), NO_STORE)

    owners = Owners(app)
    owners.lists("/webhooks", _ONE, read=_read_webhooks, describe=describe)
    owners.lists(f"{_ONE}/deliveries", read=_read_deliveries, describe=describe)
    owners.changes("webhook create", "POST", "/webhooks", change(Webhooks.create, 201), Target)
    owners.changes("webhook change", "PUT", _ONE, change(Webhooks.replace), Target)
    owners.changes("webhook rotate", "POST", f"{_ONE}/rotate", change(Webhooks.rotate))
    owners.changes("webhook delete", "DELETE", _ONE, change(Webhooks.delete, 0))
    for pattern in (f"{_ONE}/test", f"{_ONE}/deliveries/{{number}}/redeliver"):
        app.routes.add_of_store(pattern, {"POST": partial(send, pattern)})
    deliverer = Deliverer(app)
    app.gauges["webhooks_failing"] = lambda: deliverer.failing
    app.gauges["webhook_delay_seconds"] = lambda: deliverer.delay
    app.run_in_background(deliverer.run())


async def _read_webhooks(
    database: Database, store_id: int, webhook_id: str | None = None
) -> Sequence[Webhook]:
    """The webhooks of a store, the oldest first, or one of them."""
    rows = await database.read("find_webhooks", store_id, webhook_id)
    if webhook_id is not None and not rows:
        raise NoSuchWebhookError(webhook_id=webhook_id)
    return [Webhook(*row) for row in rows]


async def _read_deliveries(
    database: Database, store_id: int, webhook_id: str
) -> Sequence[Delivery]:
    """The last attempts, the newest first."""
    await _read_webhooks(database, store_id, webhook_id)
    return [Delivery(*it) for it in await database.read("list_deliveries", store_id, webhook_id)]
