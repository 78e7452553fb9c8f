"""Ways to keep the service busy for as long as a test needs it."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

import apsw

from plantstore.sqlite.connection import connect, database_path, open_lock
from tests.http.raw import PATIENCE, Connection
from tests.http.scenes import CREATES, LISTS, Scene
from tests.service import Service

_ids = count(1000)


@contextmanager
def stalled_writes(service: Service) -> Iterator[None]:
    """Hold the writers' lock: creates and deletes wait, all else goes on."""
    with open_lock(database_path(service.database)) as lock, lock.held():
        yield


@contextmanager
def request_in_hand(scene: Scene) -> Iterator[None]:
    """Have one request in hand: a create whose body the service waits for."""
    create = scene.message(CREATES[0]).setting("Expect", "100-continue")
    with Connection(scene.service.origin) as connection:
        connection.send(create.head())
        assert connection.receive().status == 100
        yield


@contextmanager
def stream_in_hand(scene: Scene) -> Iterator[Connection]:
    """Have one long list being sent, to a client that takes only a little of it."""
    with Connection(scene.service.origin, receive_buffer=4096) as connection:
        connection.send(scene.message(LISTS[0]))
        assert connection.has_data(10)
        yield connection


def open_file(service: Service) -> apsw.Connection:
    """A connection to the service's database file, behind its back."""
    return connect(database_path(service.database))


def fill_store(service: Service, store: str, count: int, size: int = 10, filler: str = "x") -> None:
    """Put plants with the ids from 1 into a store's table; names have ``size`` characters."""
    with closing(open_file(service)) as database, stalled_writes(service), database:
        database.executemany(
            "INSERT OR REPLACE INTO plants (store_id, id, name, tag)"
            " SELECT store_id, ?2, ?3, ?4 FROM stores WHERE name = ?1",
            (
                (
                    store,
                    number,
                    f"{number:06}".ljust(size, filler),
                    "even" if number % 2 == 0 else None,
                )
                for number in range(1, count + 1)
            ),
        )


def new_plant() -> bytes:
    """A plant's body, with an id that no other has."""
    return b'{"id": %d, "name": "Aloe"}' % next(_ids)


def peak_memory(service: Service) -> int:
    """The most memory that the process has had so far, in bytes."""
    status = Path(f"/proc/{service.process.pid}/status").read_text(encoding="ascii")
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


def wait_for_log(service: Service, text: str) -> None:
    """Return when the log has this text, as it must soon."""
    deadline = time.monotonic() + PATIENCE
    while text not in service.log():
        assert time.monotonic() < deadline, service.log()
        time.sleep(0.02)
