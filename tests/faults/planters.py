"""Clients that create and delete plants, and remember what they were told."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import httpx

from plantstore.bootstrap import open_administration
from plantstore.model import NewPlant
from tests.contract.garden import replay
from tests.service import Service

IDS_EACH = 1_000_000


class Planter(threading.Thread):
    """One client, with ids of its own: creates plants, deletes each third one, and goes on.

    ``there`` are the plants that it was told are stored, ``gone`` those that are not, and
    ``unsure`` those whose last request was not answered.
    """

    def __init__(self, service: Service, token: str, number: int) -> None:
        super().__init__(name=f"planter {number}", daemon=True)
        self.there: set[int] = set()
        self.gone: set[int] = set()
        self.unsure: set[int] = set()
        self.statuses: dict[int, int] = {}
        self.refusals: list[int] = []
        self._service = service
        self._token = token
        self._next = (number + 1) * IDS_EACH
        self._stopping = threading.Event()

    def run(self) -> None:
        """Plant until it is stopped or the service has gone."""
        try:
            with self._service.client(self._token) as client:
                while not self._stopping.is_set():
                    self._plant(client)
        except httpx.TransportError:
            return

    def stop(self) -> None:
        """End after the request in hand."""
        self._stopping.set()

    def _plant(self, client: httpx.Client) -> None:
        plant_id = self._next
        self._next += 1
        if self._ask(
            plant_id, client.build_request("POST", "/plants", json=body(plant_id)), client
        ):
            self.there.add(plant_id)
        else:
            self.gone.add(plant_id)
        if plant_id % 3 == 0 and plant_id in self.there:
            self.there.discard(plant_id)
            if self._ask(plant_id, client.build_request("DELETE", f"/plants/{plant_id}"), client):
                self.gone.add(plant_id)
            else:
                self.there.add(plant_id)

    def _ask(self, plant_id: int, request: httpx.Request, client: httpx.Client) -> bool:
        """Whether it was done; unsure until it is known."""
        self.unsure.add(plant_id)
        answer = client.send(request)
        self.statuses[answer.status_code] = self.statuses.get(answer.status_code, 0) + 1
        if not answer.is_success:
            self.refusals.append(answer.json()["error"])
        if answer.is_success or self.refusals[-1] != 50303:
            self.unsure.discard(plant_id)
        return answer.is_success


def body(plant_id: int) -> dict[str, object]:
    """The plant that has this id."""
    return {"id": plant_id, "name": f"Plant {plant_id}", "tag": f"tag-{plant_id % 5}"}


@contextmanager
def planting(
    service: Service, token: str, clients: int = 4, *, first: int = 0
) -> Iterator[list[Planter]]:
    """Planters at work, until the end of the block or of the service."""
    planters = [Planter(service, token, first + number) for number in range(clients)]
    for planter in planters:
        planter.start()
    try:
        yield planters
    finally:
        for planter in planters:
            planter.stop()
        for planter in planters:
            planter.join(60)
            assert not planter.is_alive()


def wait_until_planted(planters: list[Planter], plants: int) -> None:
    """Wait until they were told of so many plants together."""
    deadline = time.monotonic() + 60
    while sum(len(planter.there) for planter in planters) < plants:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def demand_whole(service: Service, store: str, planters: list[Planter]) -> None:
    """Fail unless what the planters were told is true, and nothing is half written."""
    with closing(open_administration(service.database)) as administration:
        (found,) = (one for one in administration.list_stores() if one.name == store)
        events = list(administration.list_events(store))
        token = service.make_token(store, "inspector")
    assert [event.revision for event in events] == list(range(1, len(events) + 1))
    assert found.revision == len(events)
    plants = list_plants(service, token)
    assert plants == replay(events)
    stored = {plant.id for plant in plants}
    asked: set[int] = set()
    for planter in planters:
        sure = planter.there - planter.unsure
        assert sure <= stored
        assert not stored & (planter.gone - planter.unsure)
        asked |= planter.there | planter.gone | planter.unsure
    assert stored <= asked
    for plant in plants:
        expected = body(plant.id)
        assert (plant.name, plant.tag) == (expected["name"], expected["tag"])


def list_plants(service: Service, token: str) -> list[NewPlant]:
    """All plants of the token's store, as the service lists them."""
    with service.client(token) as client:
        rows = client.get("/plants?include=id").json()
    return [NewPlant(row["id"], row["name"], row.get("tag")) for row in rows]


def demand_integrity(service: Service) -> None:
    """Fail unless SQLite finds the file sound."""
    path = Path(service.database.removeprefix("sqlite:///"))
    with closing(apsw.Connection(str(path))) as connection:
        assert connection.execute("PRAGMA integrity_check").get == "ok"
