"""Several processes over one PostgreSQL are one service."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest

from plantstore.bootstrap import open_administration
from plantstore.model import Role
from tests.faults.load import assert_whole, body, under_load, wait_until_acknowledged
from tests.faults.racing import Seen, assert_lists, assert_order, race
from tests.postgres.fault_injection import VARIABLE
from tests.postgres.proxied import error_of
from tests.postgres.server import PostgresServer
from tests.service import Service

PROGRAM = (sys.executable, "-m", "plantstore")
FAULTY = (sys.executable, "-m", "tests.postgres.fault_injection")
Pair = tuple[Service, Service]


@pytest.fixture
def anyio_backend() -> str:
    """The event loop of asynchronous tests."""
    return "asyncio"


@contextmanager
def two_services(
    server: PostgresServer, folder: Path, command: tuple[str, ...] = PROGRAM
) -> Iterator[Pair]:
    """Two services over one database; the second may be of another program."""
    with server.fresh() as url, ExitStack() as stack:
        services = []
        for name, program in (("one", PROGRAM), ("other", command)):
            own = folder / name
            own.mkdir()
            service = Service(own, database=url, command=program)
            services.append(stack.enter_context(service))
        yield services[0], services[1]


@pytest.fixture(scope="module")
def pair(
    postgres_server: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    """Two services over one database."""
    with two_services(postgres_server, tmp_path_factory.mktemp("pair")) as running:
        yield running


@contextmanager
def clients_of(pair: Pair, token: str) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    """A client of each service."""
    with pair[0].client(token) as one, pair[1].client(token) as other:
        yield one, other


def assert_explained(seen: Seen, pair: Pair, store: str) -> None:
    """Fail unless what clients saw is what a single service could have shown."""
    events = pair[0].events(store)
    assert [event.revision for event in events] == list(range(1, len(events) + 1))
    assert_order(seen, events)
    assert_lists(seen, events)


def test_what_one_wrote_the_other_lists_at_once(pair: Pair, store: str) -> None:
    with clients_of(pair, pair[0].make_token(store)) as clients:
        for number in range(100):
            writer, reader = clients[number % 2], clients[1 - number % 2]
            for client in clients:  # the list before is ready in both
                assert len(client.get("/plants?include=id").json()) == number
            assert writer.post("/plants", json=body(number)).status_code == 200
            assert reader.post("/plants", json=body(number)).json()["error"] == 40004
            lists = [client.get("/plants?include=id") for client in (reader, writer)]
            assert [len(answer.json()) for answer in lists] == [number + 1] * 2
            assert lists[0].headers["etag"] == lists[1].headers["etag"]
        for number in range(100):
            assert clients[number % 2].delete(f"/plants/{number}").status_code == 204
            assert clients[1 - number % 2].delete(f"/plants/{number}").status_code == 404


def test_a_known_list_is_known_to_both_until_either_writes(pair: Pair, store: str) -> None:
    with clients_of(pair, pair[0].make_token(store)) as (one, other):
        for number in range(20):
            etag = one.get("/plants").headers["etag"]
            known = {"If-None-Match": etag}
            assert other.get("/plants", headers=known).status_code == 304
            assert one.post("/plants", json=body(number)).status_code == 200
            assert other.get("/plants", headers=known).status_code == 200


def test_a_revoked_token_is_refused_at_once_by_both(pair: Pair, store: str) -> None:
    for _ in range(20):
        token = pair[0].make_token(store)
        with clients_of(pair, token) as clients:
            for client in (*clients, *clients):
                assert client.get("/plants").status_code == 200
            pair[0].revoke(token)
            for client in clients:
                assert client.get("/plants").json()["error"] == 40102
                assert client.post("/plants", json=body(1)).json()["error"] == 40102


def test_a_token_revoked_on_the_command_line_is_refused_by_both(pair: Pair, store: str) -> None:
    token = pair[0].make_token(store)
    command = [*PROGRAM, "token", "revoke", token, "--database", pair[0].database]
    with clients_of(pair, token) as clients:
        assert [client.get("/plants").status_code for client in clients] == [200, 200]
        done = subprocess.run(command, capture_output=True, check=False, text=True)
        assert done.returncode == 0, done.stderr
        assert [client.get("/plants").json()["error"] for client in clients] == [40102, 40102]


def test_a_changed_role_holds_at_once_for_both(pair: Pair, store: str) -> None:
    token = pair[0].make_token(store, "kim")
    with (
        clients_of(pair, token) as clients,
        closing(open_administration(pair[0].database)) as administration,
    ):
        for number in range(20):
            role = Role.EDITOR if number % 2 else Role.READER
            administration.add_member(store, "kim", role)
            for client in clients:
                status = client.delete("/plants/1").status_code
                assert status == (404 if role is Role.EDITOR else 403)


def test_a_key_is_known_to_both(pair: Pair, store: str) -> None:
    with clients_of(pair, pair[0].make_token(store)) as clients:
        for number in range(20):
            headers = {"Idempotency-Key": f"key {number}"}
            for client in clients:
                answer = client.post("/plants", json=body(number), headers=headers)
                assert answer.status_code == 200
    assert len(pair[0].events(store)) == 20


def test_both_under_load_lose_and_double_nothing(pair: Pair, store: str) -> None:
    token = pair[0].make_token(store)
    with under_load(pair[0], token) as ones, under_load(pair[1], token, first=4) as others:
        wait_until_acknowledged(ones, 150)
        wait_until_acknowledged(others, 150)
    load_clients = ones + others
    assert not any(load_client.refusals for load_client in load_clients)
    for service in pair:
        assert_whole(service, store, load_clients)


@pytest.mark.anyio
async def test_what_racing_clients_of_both_see_has_an_order(pair: Pair, store: str) -> None:
    seen = await race(pair[0].make_token(store), *pair)
    assert_explained(seen, pair, store)


@pytest.mark.anyio
@pytest.mark.parametrize("fault", ["early", "lagging"])
async def test_the_checks_find_a_fault_of_one_of_them(
    postgres_server: PostgresServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
) -> None:
    monkeypatch.setenv(VARIABLE, fault)
    with two_services(postgres_server, tmp_path, FAULTY) as pair:
        seen = await race(pair[0].make_token(), *pair)
        with pytest.raises(AssertionError):
            assert_explained(seen, pair, "nursery")


def create_at_once(pair: Pair, token: str) -> set[int]:
    """Create the same plants with the same keys through both, each in one moment; the errors."""
    errors = set()
    with clients_of(pair, token) as clients, ThreadPoolExecutor(2) as threads:
        for number in range(40):
            headers = {"Idempotency-Key": f"key {number}"}
            ask = partial(httpx.Client.post, url="/plants", json=body(number), headers=headers)
            errors |= set(map(error_of, threads.map(ask, clients)))
    return errors


def test_a_key_used_at_once_through_both_is_used_once(pair: Pair, store: str) -> None:
    assert create_at_once(pair, pair[0].make_token(store)) == {0}
    assert len(pair[0].events(store)) == 40


def test_without_the_lock_a_key_used_at_once_is_not(
    postgres_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "unlocked")
    with two_services(postgres_server, tmp_path, FAULTY) as pair:
        assert create_at_once(pair, pair[0].make_token()) != {0}


def test_an_empty_database_is_not_served(postgres_server: PostgresServer) -> None:
    url = postgres_server.make_database()
    done = subprocess.run(
        [*PROGRAM, "serve", "--port", "0", "--database", url],
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert "run `plantstore migrate` first" in done.stderr
    assert "Traceback" not in done.stderr


def test_of_migrations_at_once_all_succeed(postgres_server: PostgresServer, tmp_path: Path) -> None:
    url = postgres_server.make_database()
    command = [*PROGRAM, "migrate"]
    environ = os.environ | {"PLANTSTORE_DATABASE": url}
    processes = [subprocess.Popen(command, env=environ) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0, 0, 0, 0]
    with Service(tmp_path, database=url) as service, service.client(service.make_token()) as client:
        assert client.post("/plants", json=body(1)).status_code == 200
