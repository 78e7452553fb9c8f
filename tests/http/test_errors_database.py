"""Each route's response while its database is slow, broken or modified."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from plantstore.core.model import Scope
from tests.databases import ON_BOTH, Kind, execute
from tests.http.blocking import blocked_writes
from tests.http.conftest import StartService
from tests.http.expect import expect_error
from tests.http.fixtures import CREATES, DELETES, UPDATES, WRITES, Route, make_fixture
from tests.http.routes import ROUTES
from tests.service import Service
from tests.waiting import wait_until

# The errors that these tests cause; ``test_every_error`` collects them.
NUMBERS = {50001, 50302, 50303}
READY = Route("GET", "/readyz", "", needs_token=False)
OUTCOMES = {
    "POST": {
        b'[{"id":1,"name":"Fern"}]',
        b'[{"id":1,"name":"Fern"},{"id":2,"name":"Aloe","tag":"succulent"}]',
    },
    "PUT": {b'[{"id":1,"name":"Fern"}]', b'[{"id":1,"name":"Moss"}]'},
    "DELETE": {b'[{"id":1,"name":"Fern"}]', b"[]"},
}
# SQLite's writer knows which write failed; on PostgreSQL the whole batch is rolled back.
WITHOUT_TABLE = {"sqlite": 50001, "postgres": 50302}
# The fixture's token is cached for its own store: these writes check it in their transaction.
WRITES_WITH_CACHED_TOKEN = (CREATES[0], UPDATES[0], DELETES[0])
UNKNOWN_ROLE = {
    "sqlite": "PRAGMA ignore_check_constraints = 1; UPDATE members SET role = 'pilot'",
    "postgres": "ALTER TABLE members DROP CONSTRAINT members_role_check, "
    "ALTER COLUMN role TYPE text COLLATE \"C\" USING 'pilot'",
}
FAULTY = (sys.executable, "-m", "tests.faulty_vfs")


@pytest.fixture
def own_service(start: StartService) -> Service:
    return start(write_timeout=0.3)


@ON_BOTH
def test_a_write_that_the_database_blocks_times_out(own_service: Service) -> None:
    fixture = make_fixture(own_service)
    messages = [fixture.message(route) for route in WRITES]
    with blocked_writes(own_service), ThreadPoolExecutor(len(messages)) as threads:
        responses = list(threads.map(fixture.send, messages))
    for response in responses:
        expect_error(response, 50302)
    assert fixture.plants() == b'[{"id":1,"name":"Fern"}]'
    assert fixture.send(fixture.message(CREATES[0])).status == 200


@ON_BOTH
def test_without_a_table_the_service_is_not_ready(
    own_service: Service, database_kind: Kind
) -> None:
    fixture = make_fixture(own_service)
    execute(own_service.database, "ALTER TABLE revisions RENAME TO lost")
    wait_until(lambda: fixture.send(fixture.message(READY)).status == 503)  # checked each second
    for route in ROUTES:
        response = fixture.send(fixture.message(route))
        if route.scope is Scope.MANAGE:
            continue  # it needs no revision
        if route.needs_token or route.path == READY.path:
            number = (
                WITHOUT_TABLE[database_kind.name] if route in WRITES_WITH_CACHED_TOKEN else 50302
            )
            expect_error(response, number, method=route.method)
        elif route.method in ("GET", "HEAD"):
            assert response.status == 200


@ON_BOTH
def test_without_a_table_only_writes_that_need_it_fail(
    own_service: Service, database_kind: Kind
) -> None:
    fixture = make_fixture(own_service)
    execute(own_service.database, "ALTER TABLE events RENAME TO lost")
    for route in WRITES:
        expect_error(fixture.send(fixture.message(route)), WITHOUT_TABLE[database_kind.name])
    execute(own_service.database, "ALTER TABLE lost RENAME TO events")
    assert fixture.send(fixture.message(DELETES[0])).status == 204
    assert fixture.plants() == b"[]"


@ON_BOTH
def test_an_internal_error_is_logged_and_hides_its_cause(
    start: StartService, database_kind: Kind
) -> None:
    own_service = start()
    fixture = make_fixture(own_service)
    execute(own_service.database, UNKNOWN_ROLE[database_kind.name])
    for route in {route for route in ROUTES if route.needs_token} - {*WRITES_WITH_CACHED_TOKEN}:
        response = fixture.send(fixture.message(route))
        expect_error(response, 50001, method=route.method)
        assert "pilot" not in response.body.decode()
        logged = own_service.log().partition(f"request {response.headers['x-request-id']} failed")[
            2
        ]
        assert "'pilot' is not a valid Role" in logged


@pytest.mark.parametrize("route", [CREATES[0], UPDATES[0], DELETES[1]], ids=str)
def test_a_failed_fsync_returns_50303_and_ends_the_process(tmp_path: Path, route: Route) -> None:
    fault = tmp_path / "fault"
    with Service(tmp_path, settings={"test_fault": fault}, command=FAULTY) as faulty:
        fixture = make_fixture(faulty)
        fault.touch()
        expect_error(fixture.send(fixture.message(route)), 50303)
        assert faulty.process.wait(30) == 1
        fault.unlink()
        faulty.start()
        # The store is consistent, with the write or without it.
        assert fixture.plants() in OUTCOMES[route.method]
