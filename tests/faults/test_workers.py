"""Two workers on one file are one service."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import httpx
import pytest

from plantstore.bootstrap import open_administration
from plantstore.model import Role
from tests.faults.load import assert_integrity, assert_whole, under_load
from tests.faults.processes import kill, read_command, read_cpu_seconds, worker_pids
from tests.faults.racing import assert_lists, assert_order, race
from tests.http.blocking import in_flight_request
from tests.http.fixtures import make_fixture
from tests.service import Service


@pytest.fixture
def anyio_backend() -> str:
    """The event loop of asynchronous tests."""
    return "asyncio"


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service of two workers."""
    with Service(tmp_path_factory.mktemp("workers"), settings={"workers": 2}) as running:
        yield running


def worker_of(answer: httpx.Response) -> str:
    """Which worker answered: the ids of its requests begin alike."""
    return answer.headers["x-request-id"].split("-")[0]


def one_client_each(service: Service, token: str, stack: ExitStack) -> list[httpx.Client]:
    """Clients whose connections lead to the one and to the other worker."""
    found: dict[str, httpx.Client] = {}
    deadline = time.monotonic() + 60
    while len(found) < 2:
        assert time.monotonic() < deadline
        client = stack.enter_context(service.client(token))
        found.setdefault(worker_of(client.get("/livez")), client)
    return list(found.values())


def test_both_workers_answer_alike_and_at_once(workers: Service, store: str) -> None:
    with ExitStack() as stack:
        clients = one_client_each(workers, workers.make_token(store), stack)
        for number in range(100):
            writer, reader = clients[number % 2], clients[1 - number % 2]
            body = {"id": number, "name": f"Plant {number}"}
            assert writer.post("/plants", json=body).status_code == 200
            assert reader.post("/plants", json=body).json()["error"] == 40004
            lists = [client.get("/plants?include=id") for client in (writer, reader)]
            assert [len(answer.json()) for answer in lists] == [number + 1] * 2
            assert lists[0].headers["etag"] == lists[1].headers["etag"]
            assert worker_of(lists[0]) != worker_of(lists[1])


def test_a_revoked_token_is_refused_at_once_by_both(workers: Service, store: str) -> None:
    with ExitStack() as stack:
        clients = one_client_each(workers, workers.make_token(store), stack)
        for _ in range(50):
            token = workers.make_token(store)
            headers = {"Authorization": f"Bearer {token}"}
            for _ in range(2):
                for client in clients:
                    assert client.get("/plants", headers=headers).status_code == 200
            workers.revoke(token)
            for client in clients:
                refused = client.get("/plants", headers=headers)
                assert (refused.status_code, refused.json()["error"]) == (401, 40102)


def test_a_changed_role_holds_at_once_for_both(workers: Service, store: str) -> None:
    token = workers.make_token(store, "kim")
    with (
        ExitStack() as stack,
        closing(open_administration(workers.database)) as administration,
    ):
        clients = one_client_each(workers, token, stack)
        for number in range(20):
            role = Role.EDITOR if number % 2 else Role.READER
            administration.add_member(store, "kim", role)
            for client in clients:
                status = client.delete("/plants/1").status_code
                assert status == (404 if role is Role.EDITOR else 403)
                assert client.get("/plants").status_code == 200
        administration.remove_member(store, "kim")
        for client in clients:
            assert client.get("/plants").json()["error"] == 40403


@pytest.mark.anyio
async def test_what_racing_clients_of_both_see_has_an_order(workers: Service, store: str) -> None:
    seen = await race(workers.make_token(store), workers)
    events = workers.events(store)
    assert_order(seen, events)
    assert_lists(seen, events)


def test_no_update_is_lost_and_no_client_sees_a_lock(workers: Service, store: str) -> None:
    token = workers.make_token(store)
    with under_load(workers, token, clients=8) as load_clients:
        time.sleep(2)
    assert sum(len(load_client.acknowledged) for load_client in load_clients) > 100
    assert set().union(*(load_client.statuses for load_client in load_clients)) == {200, 204}
    assert not any(load_client.unknown for load_client in load_clients)
    assert_whole(workers, store, load_clients)
    assert "locked" not in workers.log()


def test_an_idempotency_key_holds_across_workers(workers: Service, store: str) -> None:
    with ExitStack() as stack:
        clients = one_client_each(workers, workers.make_token(store), stack)
        for number in range(20):
            body = {"id": number, "name": "Ficus"}
            headers = {"Idempotency-Key": f"key {number}"}
            for client in clients:
                assert client.post("/plants", json=body, headers=headers).status_code == 200
    assert len(workers.events(store)) == 20


def test_a_worker_that_is_killed_is_replaced(tmp_path: Path) -> None:
    with Service(tmp_path, settings={"workers": 2}) as service:
        token = service.make_token()
        with under_load(service, token) as load_clients:
            time.sleep(0.3)
            (killed, other) = worker_pids(service)
            kill(killed)
        with under_load(service, token, first=4) as later, ExitStack() as stack:
            one_client_each(service, token, stack)
            assert f"worker {killed} died with exit code -9" in service.log()
            assert other in worker_pids(service)
            assert len(worker_pids(service)) == 2
        assert_whole(service, "nursery", load_clients + later)
        assert_integrity(service)
        assert service.stop() == 0


def test_a_worker_that_cannot_start_ends_the_service(tmp_path: Path) -> None:
    """It would be the same with each that takes its place."""
    with Service(tmp_path, settings={"workers": 2}) as service:
        for file in tmp_path.glob("plants.db*"):
            file.rename(f"{file}.deleted")
        (tmp_path / "plants.db").mkdir()
        kill(worker_pids(service)[0])
        assert service.process.wait(60) == 1
    assert "a worker cannot start: cannot use the database" in service.log()
    assert service.log().count("died") == 1
    assert "Traceback" not in service.log()


def test_workers_do_not_outlive_the_process_that_started_them(tmp_path: Path) -> None:
    service = Service(tmp_path, settings={"workers": 2}).start()
    pids = worker_pids(service)
    try:
        service.kill()
        deadline = time.monotonic() + 10
        while any(map(read_command, pids)):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        for pid in pids:
            kill(pid)


def test_workers_that_were_left_alone_rest_while_they_finish(tmp_path: Path) -> None:
    service = Service(tmp_path, settings={"workers": 2}).start()
    pids = worker_pids(service)
    try:
        with in_flight_request(make_fixture(service)):
            service.kill()
            time.sleep(0.5)
            before = sum(map(read_cpu_seconds, pids))
            time.sleep(1)
            assert sum(map(read_cpu_seconds, pids)) - before < 0.5
    finally:
        for pid in pids:
            kill(pid)


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_the_workers_end_with_the_service(tmp_path: Path, stop: signal.Signals) -> None:
    with Service(tmp_path, settings={"workers": 2}) as service:
        pids = worker_pids(service)
        assert len(pids) == 2
        with under_load(service, service.make_token()) as load_clients:
            time.sleep(0.3)
            os.kill(service.process.pid, stop)
            assert service.process.wait(60) == 0
        assert not any(map(read_command, pids))
        assert "Traceback" not in service.log()
    with service:
        assert_whole(service, "nursery", load_clients)
