"""Ways to keep the service busy for as long as a test needs it."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

from plantstore.databases import open_session
from tests.databases import execute, writes_held
from tests.http.fixtures import CREATES, LISTS, StoreFixture
from tests.http.raw import Connection
from tests.service import Service

FILLER = "\U0001fab4"  # four bytes, so that a long list is more than sockets hold
_ids = count(100_000)
_LISTENS = "0A"  # the state of a socket, as Linux tells it


def blocked_writes(service: Service) -> AbstractContextManager[None]:
    """Creates and deletes wait, all else goes on."""
    return writes_held(service.database)


@contextmanager
def in_flight_request(fixture: StoreFixture) -> Iterator[None]:
    """Have one request in flight: a create whose body the service waits for."""
    create = fixture.message(CREATES[0]).setting("Expect", "100-continue")
    with Connection(fixture.service.origin) as connection:
        connection.send(create.head())
        assert connection.receive().status == 100
        yield


@contextmanager
def in_flight_stream(fixture: StoreFixture) -> Iterator[Connection]:
    """Have one long list being sent, to a client that takes only a little of it."""
    with Connection(fixture.service.origin, receive_buffer=4096) as connection:
        connection.send(fixture.message(LISTS[0]))
        assert connection.has_data(10)
        yield connection


def fill_store(service: Service, store: str, count: int, size: int = 10, filler: str = "x") -> None:
    """Put plants with the ids from 1 into a store's table; names have ``size`` characters."""
    with closing(open_session(service.database)) as session:
        ((store_id, *_),) = session.query("find_store", store)
        execute(
            service.database,
            "INSERT INTO plants (store_id, id, name, tag) VALUES ($1, $2, $3, $4)"
            " ON CONFLICT (store_id, id) DO UPDATE SET name = excluded.name, tag = excluded.tag",
            (
                (
                    store_id,
                    number,
                    f"{number:06}".ljust(size, filler),
                    "even" if number % 2 == 0 else None,
                )
                for number in range(1, count + 1)
            ),
        )
    counted = "(SELECT count(*) FROM plants WHERE store_id = $1)"
    sql = f"UPDATE revisions SET plants = {counted} WHERE store_id = $1"
    execute(service.database, sql, [(store_id,)])


def new_plant() -> bytes:
    """A plant's body, with an id that no other has."""
    return b'{"id": %d, "name": "Aloe"}' % next(_ids)


def peak_memory(service: Service) -> int:
    """The most memory that the process has had so far, in bytes."""
    status = Path(f"/proc/{service.process.pid}/status").read_text(encoding="ascii")
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


@contextmanager
def takes_at_most(service: Service, size: int) -> Iterator[None]:
    """In the block the process needs less than so many bytes more than ever before."""
    before = peak_memory(service)
    yield
    assert peak_memory(service) - before < size


def count_threads(service: Service) -> int:
    return len(list(Path(f"/proc/{service.process.pid}/task").iterdir()))


def count_connections(service: Service) -> int:
    """Connections of clients that the service has not let go."""
    port = f"{urlsplit(service.origin).port:04X}"
    rows = [row.split() for row in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()]
    ours = [row for row in rows if row[1].endswith(f":{port}") and row[3] != _LISTENS]
    return sum(row[9] != "0" for row in ours)  # else the kernel sends what is left
