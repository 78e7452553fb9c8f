"""After a failed fsync nothing is written, the process ends, and no acknowledged write is lost."""

import sys
from contextlib import ExitStack, closing
from pathlib import Path

import httpx
import pytest

from plantstore.sqlite.connection import connect
from plantstore.sqlite.file_lock import FileLock
from tests.faults.load import assert_consistent, under_load, wait_until_acknowledged
from tests.faulty_vfs import VARIABLE
from tests.http.raw import ALIVE, Connection, Message
from tests.service import Service

UNKNOWN = 50303
FICUS = b'{"id": 1, "name": "Ficus"}'


class ServiceOnFaultyDisk(Service):
    """A service on a disk that can be broken."""

    def __init__(self, folder: Path, **settings: object) -> None:
        command = ("env", f"{VARIABLE}={folder / 'fault'}", sys.executable, "-m")
        super().__init__(folder, command=(*command, "tests.faulty_vfs"), settings=settings)
        self._fault = folder / "fault"

    def break_disk(self, words: str = "") -> None:
        part = self._fault.with_name("fault.part")
        part.write_text(words)
        part.rename(self._fault)

    def has_synced_again(self) -> bool:
        return self._fault.with_name("fault.synced-again").exists()


def test_a_failed_fsync_makes_the_service_unready_until_it_ends(tmp_path: Path) -> None:
    with ServiceOnFaultyDisk(tmp_path) as service:
        create = Message("POST", "/plants").with_header(
            "Authorization", f"Bearer {service.make_token()}"
        )
        first, create = (create.with_body(b'{"id": %d, "name": "Ficus"}' % n) for n in (1, 2))
        readiness, liveness = Message("GET", "/readyz"), Message("GET", "/livez")
        with Connection(service.origin) as connection:
            connection.send(first, readiness, liveness)  # caches the heads
            assert [connection.receive().status for _ in range(3)] == [200, 200, 200]
            service.break_disk()
            connection.send(create, readiness, create, liveness)
            assert [connection.receive().number for _ in range(3)] == [50303, 50302, 50302]
            assert connection.receive().json == ALIVE
        assert service.process.wait(30) == 1


def test_a_failed_fsync_is_never_retried(tmp_path: Path) -> None:
    """The kernel would report success for a retry, although the data is lost."""
    with ServiceOnFaultyDisk(tmp_path) as service:
        token = service.make_token()
        with under_load(service, token, clients=8) as load_clients:
            wait_until_acknowledged(load_clients, 100)
            service.break_disk("once")
            assert service.process.wait(30) == 1
    assert not service.has_synced_again()
    failed = [client.results for client in load_clients if UNKNOWN in client.results]
    assert failed
    assert not any(0 in results[results.index(UNKNOWN) :] for results in failed)
    with Service(tmp_path) as restarted:
        assert_consistent(restarted, "nursery", load_clients)


def test_a_failed_fsync_ends_a_batch_that_is_committed_in_parts(tmp_path: Path) -> None:
    """A batch is committed write by write if one of its writes fails."""
    with ServiceOnFaultyDisk(tmp_path) as service:
        tokens = [service.make_token(store) for store in ("sick", *6 * ["sound"])]
        with closing(connect(tmp_path / "plants.db")) as connection:
            connection.execute(  # the event that the next change of the first store would have
                "INSERT INTO events (store_id, revision, kind, plant_id, name, at, user_id,"
                " token_label) VALUES (1, 1, 'plant.created', 9, 'first', 0, 1, '')"
            )
        with ExitStack() as stack:
            clients = [stack.enter_context(Connection(service.origin)) for _ in tokens]
            with closing(FileLock(tmp_path / "plants.db")) as lock, lock.held():
                for number, (token, client) in enumerate(zip(tokens, clients, strict=True)):
                    create = Message("POST", "/plants").with_header(
                        "Authorization", f"Bearer {token}"
                    )
                    client.send(create.with_body(b'{"id": %d, "name": "Ficus"}' % number))
                # The creates sent before this request now wait for the lock.
                httpx.get(f"{service.origin}/livez")
                service.break_disk("once")
            statuses = {status_of(client) for client in clients}
        assert service.process.wait(30) == 1
        assert statuses <= {0, 500, 503}
        assert not service.has_synced_again()


def status_of(client: Connection) -> int:
    try:
        return client.receive().status
    except (AssertionError, ConnectionError):  # the process ended the connection
        return 0


def test_a_failed_checkpoint_ends_the_process_and_loses_nothing(tmp_path: Path) -> None:
    with ServiceOnFaultyDisk(tmp_path) as service:
        service.break_disk("checkpoint")
        with under_load(service, service.make_token()) as load_clients:
            assert service.process.wait(60) == 1
        assert "Traceback" not in service.log()
    with Service(tmp_path) as restarted:
        assert_consistent(restarted, "nursery", load_clients)


@pytest.mark.parametrize("words", ["", "once"])
def test_a_broken_disk_in_a_worker_ends_the_service(tmp_path: Path, words: str) -> None:
    with ServiceOnFaultyDisk(tmp_path, workers=2) as service:
        with under_load(service, service.make_token()) as load_clients:
            wait_until_acknowledged(load_clients, 20)
            service.break_disk(words)
            assert service.process.wait(60) == 1
        assert "the database is broken, stopping the service" in service.log()
        assert "Traceback" not in service.log()
    with Service(tmp_path) as restarted:
        assert_consistent(restarted, "nursery", load_clients)


def test_a_failed_checkpoint_at_the_stop_is_logged(tmp_path: Path) -> None:
    with ServiceOnFaultyDisk(tmp_path) as service:
        with under_load(service, service.make_token()) as load_clients:
            wait_until_acknowledged(load_clients, 1)
        service.break_disk("checkpoint")
        assert service.stop() == 0
        assert "the WAL was not moved into the database at the stop: " in service.log()
        assert "Traceback" not in service.log()
    with Service(tmp_path) as restarted:
        assert_consistent(restarted, "nursery", load_clients)
