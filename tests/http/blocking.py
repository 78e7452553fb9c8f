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

FILLER = "\U0001fab4"  # four bytes, so that a long list exceeds the buffers of sockets
_ids = count(100_000)
_LISTENS = "0A"  # a socket's state in Linux


def blocked_writes(service: Service) -> AbstractContextManager[None]:
    """Block creates and deletes; everything else runs."""
    return writes_held(service.database)


@contextmanager
def in_flight_request(fixture: StoreFixture) -> Iterator[None]:
    """Keep one request in flight: the service waits for the body of a create."""
    create = fixture.message(CREATES[0]).replacing_header("Expect", "100-continue")
    with Connection(fixture.service.origin) as connection:
        connection.send(create.head())
        assert connection.receive().status == 100
        yield


@contextmanager
def in_flight_stream(fixture: StoreFixture) -> Iterator[Connection]:
    """Keep one long list in flight, to a client that reads only a little of it."""
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
    """A plant's body, with a new id."""
    return b'{"id": %d, "name": "Aloe"}' % next(_ids)


def peak_memory(service: Service) -> int:
    """The process's peak memory, in bytes."""
    status = Path(f"/proc/{service.process.pid}/status").read_text(encoding="ascii")
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


@contextmanager
def memory_grows_at_most(service: Service, size: int) -> Iterator[None]:
    """Fail if the block raises the process's peak memory by this many bytes or more."""
    before = peak_memory(service)
    yield
    assert peak_memory(service) - before < size


def count_threads(service: Service) -> int:
    return len(list(Path(f"/proc/{service.process.pid}/task").iterdir()))


def count_connections(service: Service) -> int:
    """Connections of clients that the service has not closed."""
    port = f"{urlsplit(service.origin).port:04X}"
    rows = [row.split() for row in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()]
    ours = [row for row in rows if row[1].endswith(f":{port}") and row[3] != _LISTENS]
    return sum(row[9] != "0" for row in ours)  # otherwise the kernel sends the rest
