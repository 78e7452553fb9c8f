"""After a failed fsync nothing is written, the process ends, and no acknowledged write is lost."""

import socket
import sys
import threading
import time
from contextlib import ExitStack, closing
from pathlib import Path

import httpx
import pytest

from plantstore.sqlite.connection import connect, open_lock
from tests.faulty_vfs import VARIABLE
from tests.http.raw import Connection, Message
from tests.service import Service


class Faulty(Service):
    """A service on a disk that can be broken."""

    def __init__(self, folder: Path, **settings: object) -> None:
        command = ("env", f"{VARIABLE}={folder / 'fault'}", sys.executable, "-m")
        super().__init__(folder, command=(*command, "tests.faulty_vfs"), settings=settings)
        self._fault = folder / "fault"

    def break_disk(self, words: str = "") -> None:
        """Let fsyncs fail from now on."""
        part = self._fault.with_name("fault.part")
        part.write_text(words)
        part.rename(self._fault)

    def has_synced_again(self) -> bool:
        """Whether anything was synced after a sync had failed."""
        return self._fault.with_name("fault.synced-again").exists()


def restart(folder: Path) -> Service:
    """The same database, on a disk that works again."""
    return Service(folder)


def pipeline(service: Service, *requests: str) -> str:
    """Send the requests at once; all that is answered until the end of the connection."""
    host, port = service.origin.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall("".join(requests).encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer.decode()


def assert_whole(service: Service, token: str, store: str, acknowledged: set[int]) -> None:
    """Fail unless all plants that were acknowledged are there, and the events give the plants."""
    with service.client(token) as client:
        listed = {row["id"] for row in client.get("/plants?include=id").json()}
        assert acknowledged <= listed
        events = service.events(store)
        assert [event.revision for event in events] == list(range(1, len(listed) + 1))
        assert {event.plant.id for event in events} == listed
        free = max(listed, default=0) + 1_000_000
        assert client.post("/plants", json={"id": free, "name": "Fern"}).status_code == 200


def test_a_failed_fsync_fails_the_batch_and_ends_the_process(tmp_path: Path) -> None:
    with Faulty(tmp_path) as service:
        token = service.make_token()
        with service.client(token) as client:
            for number in range(10):
                assert client.post("/plants", json={"id": number, "name": "Ficus"}).is_success
            service.break_disk()
            failed = client.post("/plants", json={"id": 10, "name": "Ficus"})
            assert (failed.status_code, failed.json()["error"]) == (503, 50303)
            assert "retry-after" in failed.headers
        assert service.process.wait(30) == 1
        assert "the database is broken, stopping the service" in service.log()
        assert "Traceback" not in service.log()
    with restart(tmp_path) as service:
        assert_whole(service, token, "nursery", set(range(10)))


def test_it_is_not_ready_from_the_failure_on(tmp_path: Path) -> None:
    with Faulty(tmp_path) as service:
        body = '{"id": 1, "name": "Ficus"}'
        head = f"Host: x\r\nAuthorization: Bearer {service.make_token()}\r\n"
        create = f"POST /plants HTTP/1.1\r\n{head}Content-Type: application/json\r\n"
        create += f"Content-Length: {len(body)}\r\n\r\n{body}"
        service.break_disk()
        answers = pipeline(
            service,
            create,
            "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n",
            create,
            "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        )
        assert answers.count("HTTP/1.1 ") == 4
        assert answers.count('"error":50303') == 1
        assert answers.count('"error":50302') == 2
        assert '{"status":"live",' in answers
        assert service.process.wait(30) == 1


def test_a_failed_fsync_is_never_tried_again(tmp_path: Path) -> None:
    """The kernel reports the next one as good, though what it lost stays lost."""
    acknowledged: list[int] = []
    failures: list[float] = []
    late: list[int] = []
    with Faulty(tmp_path) as service:
        token = service.make_token()

        def plant(first: int) -> None:
            with service.client(token) as client:
                for number in range(first, first + 100_000):
                    began = time.monotonic()
                    try:
                        answer = client.post("/plants", json={"id": number, "name": "Ficus"})
                    except httpx.TransportError:
                        return
                    if answer.is_success:
                        acknowledged.append(number)
                        if failures and began > failures[0]:
                            late.append(number)
                    elif answer.json()["error"] == 50303:
                        failures.append(time.monotonic())

        threads = [threading.Thread(target=plant, args=(n * 100_000,)) for n in range(8)]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + 60
        while len(acknowledged) < 100:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        service.break_disk("once")
        for thread in threads:
            thread.join(60)
        assert service.process.wait(30) == 1
        assert failures
        assert late == []
        assert not service.has_synced_again()
    with restart(tmp_path) as restarted:
        assert_whole(restarted, token, "nursery", set(acknowledged))


def test_a_failed_fsync_ends_a_batch_that_is_written_one_by_one(tmp_path: Path) -> None:
    """A batch is written one by one where one of its writes is invalid."""
    with Faulty(tmp_path) as service:
        tokens = [service.make_token(store) for store in ("sick", *6 * ["sound"])]
        with closing(connect(tmp_path / "plants.db")) as connection:
            connection.execute(  # the event that the next change of the first store would have
                "INSERT INTO events VALUES (1, 1, 'plant.created', 9, 'first', NULL, 0, 1, '', '')"
            )
        with ExitStack() as stack:
            clients = [stack.enter_context(Connection(service.origin)) for _ in tokens]
            with open_lock(tmp_path / "plants.db") as lock, lock.held():
                for number, (token, client) in enumerate(zip(tokens, clients, strict=True)):
                    create = Message("POST", "/plants").adding("Authorization", f"Bearer {token}")
                    client.send(create.carrying(b'{"id": %d, "name": "Ficus"}' % number))
                httpx.get(f"{service.origin}/livez")  # what was sent before it waits for a commit
                service.break_disk("once")
            statuses = {status_of(client) for client in clients}
        assert service.process.wait(30) == 1
        assert statuses <= {0, 500, 503}
        assert not service.has_synced_again()


def status_of(client: Connection) -> int:
    try:
        return client.receive().status
    except (AssertionError, ConnectionError):  # it ended with the process
        return 0


def create_one(service: Service, token: str, plant_id: int) -> int:
    headers = {"Authorization": f"Bearer {token}"}
    body = {"id": plant_id, "name": "Ficus"}
    try:
        return httpx.post(f"{service.origin}/plants", json=body, headers=headers).status_code
    except httpx.TransportError:  # it came when the process had ended
        return 0


def test_a_failed_checkpoint_ends_the_process_and_loses_nothing(tmp_path: Path) -> None:
    acknowledged: set[int] = set()
    with Faulty(tmp_path) as service:
        token = service.make_token()
        service.break_disk("checkpoint")
        with service.client(token) as client:
            try:
                for number in range(20_000):
                    text = {"name": 256 * "\U0001f331", "tag": 64 * "\U0001f331"}
                    if not client.post("/plants", json={"id": number, **text}).is_success:
                        break
                    acknowledged.add(number)
            except httpx.TransportError:
                pass
        assert service.process.wait(30) == 1
        assert len(acknowledged) > 10
        assert "Traceback" not in service.log()
    with restart(tmp_path) as service:
        assert_whole(service, token, "nursery", acknowledged)


@pytest.mark.parametrize("words", ["", "once"])
def test_a_worker_that_finds_the_disk_broken_ends_the_service(tmp_path: Path, words: str) -> None:
    acknowledged: set[int] = set()
    with Faulty(tmp_path, workers=2) as service:
        token = service.make_token()
        service.break_disk(words)
        for number in range(1000):
            status = create_one(service, token, number)
            if status == 200:
                acknowledged.add(number)
            if not status:
                break
        assert service.process.wait(60) == 1
        assert "the database is broken, stopping the service" in service.log()
        assert "Traceback" not in service.log()
    with restart(tmp_path) as restarted:
        assert_whole(restarted, token, "nursery", acknowledged)
