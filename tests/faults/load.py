"""Clients that create and delete plants, and record which writes were acknowledged."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import httpx

from plantstore.core.model import NewPlant
from tests.contract.harness import replay
from tests.faults.two_processes import process_of
from tests.service import Service
from tests.waiting import wait_until

IDS_EACH = 1_000_000


class LoadClient(threading.Thread):
    """A client with its own ids: creates plants, and deletes every third.

    It ends at the first ``error`` of its connection. ``processes`` are those that responded.

    ``acknowledged`` are the plants whose create was acknowledged, ``deleted`` those that were
    deleted or refused, ``unknown`` those whose last request has an unknown outcome. ``results``
    are the error numbers of the results, 0 for success.
    """

    def __init__(self, origin: str, token: str, number: int) -> None:
        super().__init__(name=f"load client {number}", daemon=True)
        self.acknowledged: set[int] = set()
        self.deleted: set[int] = set()
        self.unknown: set[int] = set()
        self.results: list[int] = []
        self.processes: set[str] = set()
        self.error: httpx.TransportError | None = None
        self._origin, self._headers = origin, {"Authorization": f"Bearer {token}"}
        self._next = (number + 1) * IDS_EACH
        self._stopping = threading.Event()

    def run(self) -> None:
        try:
            with httpx.Client(
                base_url=self._origin, headers=self._headers, timeout=60, verify=False
            ) as client:
                while not self._stopping.is_set():
                    self.send_next(client)
        except httpx.TransportError as error:
            self.error = error

    @property
    def refusals(self) -> list[int]:
        return [number for number in self.results if number]

    def stop(self) -> None:
        self._stopping.set()

    def send_next(self, client: httpx.Client) -> None:
        plant_id = self._next
        self._next += 1
        create = client.build_request("POST", "/plants", json=body(plant_id))
        if self._send(plant_id, create, client):
            self.acknowledged.add(plant_id)
        else:
            self.deleted.add(plant_id)
        if plant_id % 3 == 0 and plant_id in self.acknowledged:
            delete = client.build_request("DELETE", f"/plants/{plant_id}")
            if self._send(plant_id, delete, client):
                self.acknowledged.discard(plant_id)
                self.deleted.add(plant_id)

    def _send(self, plant_id: int, request: httpx.Request, client: httpx.Client) -> bool:
        """Send a request; return whether it succeeded. Until then its outcome is unknown."""
        self.unknown.add(plant_id)
        response = client.send(request)
        self.processes.add(process_of(response))
        self.results.append(0 if response.is_success else response.json()["error"])
        if self.results[-1] != 50303:
            self.unknown.discard(plant_id)
        return response.is_success

    def assert_matches(self, stored: set[int]) -> None:
        """Fail unless these stored ids agree with the responses."""
        assert self.acknowledged - self.unknown <= stored
        assert not stored & (self.deleted - self.unknown)


def body(plant_id: int) -> dict[str, object]:
    return {"id": plant_id, "name": f"Plant {plant_id}", "tag": f"tag-{plant_id % 5}"}


@contextmanager
def under_load(
    service: Service, token: str, clients: int = 4, *, first: int = 0
) -> Iterator[list[LoadClient]]:
    """Clients that send requests until the end of the block or of the service."""
    load_clients = [LoadClient(service.origin, token, first + number) for number in range(clients)]
    with running(load_clients):
        yield load_clients


@contextmanager
def running(load_clients: Sequence[LoadClient]) -> Iterator[None]:
    """Send requests until the end of the block."""
    for load_client in load_clients:
        load_client.start()
    try:
        yield
    finally:
        for load_client in load_clients:
            load_client.stop()
        for load_client in load_clients:
            load_client.join(60)
            assert not load_client.is_alive()


def wait_until_acknowledged(load_clients: list[LoadClient], plants: int) -> None:
    def count() -> int:
        return sum(len(load_client.acknowledged) for load_client in load_clients)

    target = count() + plants
    wait_until(lambda: count() >= target, pause=0.005)


def wait_until_refused(load_clients: list[LoadClient], times: int = 1) -> None:
    target = [(load_client, len(load_client.refusals) + times) for load_client in load_clients]
    wait_until(
        lambda: all(len(load_client.refusals) >= count for load_client, count in target),
        pause=0.005,
    )


def assert_consistent(service: Service, store: str, load_clients: list[LoadClient]) -> None:
    """Fail unless the store is consistent and agrees with the clients' responses."""
    with service.administration() as administration:
        (record,) = (each for each in administration.list_stores() if each.name == store)
        events = list(administration.list_events(store))
        token = service.make_token(store, "inspector")
    assert [event.revision for event in events] == list(range(1, len(events) + 1))
    assert record.revision == len(events)
    plants = list_plants(service, token)
    assert plants == replay(events)
    stored = {plant.id for plant in plants}
    sent: set[int] = set()
    for load_client in load_clients:
        load_client.assert_matches(stored)
        sent |= load_client.acknowledged | load_client.deleted | load_client.unknown
    assert stored <= sent
    for plant in plants:
        expected = body(plant.id)
        assert (plant.name, plant.tag) == (expected["name"], expected["tag"])


def list_plants(service: Service, token: str) -> list[NewPlant]:
    with service.client(token) as client:
        rows = client.get("/plants?include=id").json()
    return [NewPlant(row["id"], row["name"], row.get("tag")) for row in rows]


def assert_integrity(service: Service) -> None:
    path = Path(service.database.removeprefix("sqlite:///"))
    with closing(apsw.Connection(str(path))) as connection:
        assert connection.execute("PRAGMA integrity_check").get == "ok"
