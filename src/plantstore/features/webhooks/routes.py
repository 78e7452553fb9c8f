"""Webhooks over HTTP, for owners who manage their store, and their delivery beside the requests."""

from collections.abc import Callable
from functools import partial

from plantstore.core.model import Caller, Scope
from plantstore.core.pools import Pool
from plantstore.features.access.http.jobs import JobQueue
from plantstore.features.access.http.owners import Change, Outcome, Owners, split
from plantstore.features.webhooks import WebhookSettings
from plantstore.features.webhooks.client import send_now
from plantstore.features.webhooks.deliverer import Deliverer
from plantstore.features.webhooks.webhooks import Record, Target, Webhooks, describe
from plantstore.http.app import App
from plantstore.http.preconditions import refuse_precondition
from plantstore.http.responses import NO_CONTENT, NO_STORE, json_response
from plantstore.server.messages import Request, Response
from plantstore.sql.session import Session

_MAX_TESTS = 16  # at the same time
_SECONDS = 60.0  # a name may take long to be resolved
_ONE = "/webhooks/{id}"


def add_webhooks(app: App) -> None:
    """Add the routes, the gauges, and the delivery."""
    of = partial(Webhooks, settings=app.settings.of(WebhookSettings))
    # For messages that requests wait for: full, it keeps no other request waiting.
    sending = JobQueue(app.open_session, _SECONDS, Pool("webhook_tests", _MAX_TESTS), _MAX_TESTS)

    def read(operate: Callable[..., object]) -> Callable[..., object]:
        return lambda session, store_id, *given: operate(of(session, store_id), *given)

    def change(operate: Callable[..., Record], status: int = 200) -> Change:
        def run(session: Session, by: Caller, *given: object) -> Outcome:
            record = operate(of(session, by.store_id), *given)
            response = json_response(status, record, NO_STORE) if status else NO_CONTENT
            return response, {"webhook_id": record["id"]}  # no address: it may be a secret

        return run

    async def send(pattern: str, request: Request, *path: str) -> Response:
        values, store = split(pattern, path)
        caller = await app.authentication.admit(request, store, Scope.MANAGE)
        refuse_precondition(request.headers)

        def work(session: Session, _: object) -> Record:
            return describe(send_now(of(session, caller.store_id), *values))

        return json_response(200, await sending.run(caller.token_store_id, work), NO_STORE)

    owners = Owners(app, "webhook_jobs")
    owners.reads("/webhooks", read(Webhooks.list_all))
    owners.reads(_ONE, read(lambda webhooks, id_: describe(webhooks.find(id_))))
    owners.reads(f"{_ONE}/deliveries", read(Webhooks.list_deliveries))
    owners.changes("webhook create", "POST", "/webhooks", change(Webhooks.create, 201), Target)
    owners.changes("webhook change", "PUT", _ONE, change(Webhooks.replace), Target)
    owners.changes("webhook rotate", "POST", f"{_ONE}/rotate", change(Webhooks.rotate))
    owners.changes("webhook delete", "DELETE", _ONE, change(Webhooks.delete, 0))
    for pattern in (f"{_ONE}/test", f"{_ONE}/deliveries/{{number}}/redeliver"):
        app.routes.add_of_store(pattern, {"POST": partial(send, pattern)})
    deliverer = Deliverer(app)
    app.gauges["webhooks_failing"] = lambda: deliverer.failing
    app.gauges["webhook_delay_seconds"] = lambda: deliverer.delay
    app.run_beside(deliverer.run())
    app.at_close.append(deliverer.close)
