"""Whatever is killed, and however badly the receiver behaves, each change is told, in order."""

import json
import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from plantstore.core.model import Scope
from tests.databases import ON_BOTH
from tests.features.webhooks.conftest import SETTINGS
from tests.features.webhooks.receiver import (
    OK,
    Received,
    Receiver,
    Response,
    create_webhook,
    wait_until_delivered,
)
from tests.http.calls import create_plant
from tests.postgres.server import PostgresServer, free_port
from tests.service import Service

WRITERS = 4
PLANTS = 100


class BadReceiver:
    """A receiver that fails each third message, is slow at times, dies and comes back."""

    def __init__(self, seed: int, seconds: Sequence[float]) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - no secrets
        self._seconds = seconds
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.secret = ""
        self.messages: list[Received] = []
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}/hook"

    def _respond(self, message: Received) -> Response:
        message.verify(self.secret)
        number = self._chance.random()
        if number < 0.01:
            time.sleep(self._chance.choice(self._seconds))
        return (500, {}, b"") if number < 1 / 3 else OK

    def _run(self) -> None:
        while not self._stopping.is_set():
            receiver = Receiver(self._port)
            receiver.messages, receiver.respond = self.messages, self._respond
            with receiver:
                self._stopping.wait(self._chance.uniform(0.3, 1))
            time.sleep(0.2)

    @contextmanager
    def running(self) -> Iterator[None]:
        self._thread.start()
        yield
        self._stopping.set()
        self._thread.join()


def torment(
    service: Service,
    kill_something: Callable[[], None],
    *,
    changes: int,
    kills: int,
    seconds: Sequence[float] = (0.1, 0.5),
) -> dict[str, int]:
    """Change plants while something is killed again and again; how much was told, all in order."""
    bad, chance = BadReceiver(kills, seconds), random.Random(changes)  # noqa: S311 - no secrets
    token = service.make_token("nursery", "ada", scopes=frozenset(Scope))
    with service.client(token) as client:
        made = create_webhook(client, bad.url)
    bad.secret = made["secret"]
    writers = [
        threading.Thread(
            target=write, args=(service, token, first, changes // WRITERS), daemon=True
        )
        for first in range(WRITERS)
    ]
    with bad.running():
        for writer in writers:
            writer.start()
        for _ in range(kills):
            time.sleep(chance.uniform(0.2, 1))
            kill_something()
        for writer in writers:
            writer.join()
        with service.client(token) as client:
            wait_until_delivered(client, made["id"])
    return check(service, bad.messages)


def check(service: Service, messages: Sequence[Received]) -> dict[str, int]:
    """Each event was told at least once, in its plant's order, with one id; and nothing else."""
    told: dict[int, set[tuple[str, bytes]]] = defaultdict(set)
    last: dict[int, int] = defaultdict(int)
    for message in messages:
        revision, plant = message.data["revision"], message.data["id"]
        assert revision in told or revision > last[plant]
        last[plant] = max(last[plant], revision)
        told[revision].add((message.id, message.body))
    events = {event.revision: event.plant.name for event in service.events("nursery")}
    assert told.keys() == events.keys()
    for revision, same in told.items():
        ((_, body),) = same
        assert json.loads(body)["data"]["name"] == events[revision]
    assert len({message_id for same in told.values() for message_id, _ in same}) == len(told)
    return {"events": len(events), "messages": len(messages)}


def write(service: Service, token: str, first: int, count: int) -> None:
    """Create plants, and update them so many times in all; each is tried until it is done."""
    mine = range(first, PLANTS, WRITERS)
    left = [("POST", "/plants", {"id": plant_id, "name": "Fern"}) for plant_id in mine]
    left += [
        ("PUT", f"/plants/{mine[number % len(mine)]}", {"name": f"Fern {number}"})
        for number in range(count - len(mine))
    ]
    done = {200, 400}  # a create that is tried again is there already
    while left:
        with suppress(httpx.TransportError), service.client(token) as client:
            while (
                left and client.request(left[0][0], left[0][1], json=left[0][2]).status_code in done
            ):
                del left[0]
        time.sleep(0.05)


def test_kills_of_the_service_lose_no_message(tmp_path: Path) -> None:
    with Service(tmp_path, settings=SETTINGS) as service:
        port = service.origin.rpartition(":")[2]

        def restart() -> None:
            service.kill()
            service.start_again_on(port)

        found = torment(service, restart, changes=200, kills=4)
    assert found["messages"] > found["events"] >= 200


def test_kills_of_postgresql_lose_no_message(tmp_path: Path) -> None:
    with (
        PostgresServer(tmp_path / "postgres", "fsync = on") as server,
        server.fresh() as url,
        Service(tmp_path, database=url, settings=SETTINGS) as service,
    ):

        def restart() -> None:
            server.kill()
            server.start()

        found = torment(service, restart, changes=200, kills=3)
    assert found["messages"] > found["events"] >= 200


@ON_BOTH
def test_another_process_goes_on(tmp_path: Path, url: str, receiver: Receiver) -> None:
    folders = [tmp_path / "one", tmp_path / "other"]
    for folder in folders:
        folder.mkdir()
    services = [Service(folder, database=url, settings=SETTINGS).start() for folder in folders]
    token = services[0].make_token("nursery", "ada", scopes=frozenset(Scope))
    for number, (killed, other) in enumerate([services, services[::-1]]):
        with other.client(token) as client:
            if not number:
                create_webhook(client, receiver.url)
            create_plant(client, 2 * number, "Fern")
            wait_until_told(receiver, 2 * number)
            killed.kill()
            create_plant(client, 2 * number + 1, "Fern")
            wait_until_told(receiver, 2 * number + 1)
        killed.start()
    for service in services:
        service.stop()


def wait_until_told(receiver: Receiver, plant_id: int) -> None:
    receiver.wait_until(
        lambda messages: any(message.data["id"] == plant_id for message in messages)
    )
