"""Two processes act as one service: workers on SQLite, services on one PostgreSQL."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import httpx
import pytest

from tests.faults.load import assert_consistent, body, under_load, wait_until_acknowledged
from tests.faults.racing import assert_explained, race
from tests.faults.two_processes import TwoProcesses, process_of, two_services, two_workers


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def processes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TwoProcesses]:
    folder = tmp_path_factory.mktemp("processes")
    if request.param == "sqlite":
        opened = two_workers(folder)
    else:
        opened = two_services(request.getfixturevalue("postgres_server"), folder)
    with opened as running:
        yield running


@pytest.fixture
def token(processes: TwoProcesses, store: str) -> str:
    return processes.service.make_token(store)


def test_a_write_of_one_process_is_visible_to_the_other_immediately(
    processes: TwoProcesses, token: str
) -> None:
    with processes.clients(token) as clients:
        for number in range(10):
            writer, reader = clients[number % 2], clients[1 - number % 2]
            before = [client.get("/plants?include=id") for client in clients]  # both are ready
            known = {"If-None-Match": before[0].headers["etag"]}
            assert reader.get("/plants?include=id", headers=known).status_code == 304
            assert writer.post("/plants", json=body(number)).status_code == 200
            assert reader.post("/plants", json=body(number)).json()["error"] == 40004
            lists = [client.get("/plants?include=id", headers=known) for client in clients]
            assert [len(response.json()) for response in lists] == [number + 1] * 2
            assert lists[0].headers["etag"] == lists[1].headers["etag"]
            assert process_of(lists[0]) != process_of(lists[1])
        for number in range(10):
            assert clients[number % 2].delete(f"/plants/{number}").status_code == 204
            assert clients[1 - number % 2].delete(f"/plants/{number}").status_code == 404


def test_a_revoked_token_is_refused_immediately_by_both_processes(
    processes: TwoProcesses, store: str
) -> None:
    with processes.clients(None) as clients:
        for _ in range(5):
            token = processes.service.make_token(store)
            headers = {"Authorization": f"Bearer {token}"}
            for client in (*clients, *clients):
                assert client.get("/plants", headers=headers).status_code == 200
            processes.service.revoke(token)
            for client in clients:
                assert client.get("/plants", headers=headers).json()["error"] == 40102
                refused = client.post("/plants", json=body(1), headers=headers)
                assert refused.json()["error"] == 40102


def test_a_key_used_concurrently_in_both_processes_creates_one_plant(
    processes: TwoProcesses, store: str, token: str
) -> None:
    with processes.clients(token) as clients, ThreadPoolExecutor(2) as threads:
        for number in range(10):
            headers = {"Idempotency-Key": f"key {number}"}
            post = partial(httpx.Client.post, url="/plants", json=body(number), headers=headers)
            responses = threads.map(post, clients)
            assert [response.status_code for response in responses] == [200, 200]
    assert len(processes.service.events(store)) == 10


def test_both_processes_under_load_lose_and_refuse_no_write(
    processes: TwoProcesses, store: str, token: str
) -> None:
    first, last = processes.services[0], processes.services[-1]
    with under_load(first, token) as ones, under_load(last, token, first=4) as others:
        wait_until_acknowledged(ones, 50)
        wait_until_acknowledged(others, 50)
    load_clients = ones + others
    assert not any(client.refusals or client.unknown for client in load_clients)
    for service in processes.services:
        assert_consistent(service, store, load_clients)
        assert "locked" not in service.log()


@pytest.mark.anyio
async def test_operations_of_clients_of_both_processes_are_linearizable(
    processes: TwoProcesses, store: str, token: str
) -> None:
    observations = await race(token, *processes.services)
    assert_explained(observations, processes.service.events(store))
