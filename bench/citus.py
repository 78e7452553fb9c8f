"""``python -m bench.citus``: what a request costs on PostgreSQL and on Citus, in CPU of each part.

The load's own CPU does not count, so other work on the machine changes the figures little. Each
figure is the least of some runs. The database's programs are those of POSTGRESQL_PROGRAMS.
"""

import asyncio
import itertools
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path

import click
from msgspec import Struct
from rich.console import Console
from rich.table import Table

from bench.servers import ALL_CORES, Server, running_service
from plantstore.bootstrap import open_administration
from plantstore.model import TokenRequest
from tests.postgres.citus import CitusCluster
from tests.postgres.server import PostgresServer

_CONNECTIONS = 64
_RUNS = 3
_OPTIONS = ("fsync = on", "shared_buffers = 128MB")
_PLANTS = 100  # of each store, before
_numbers = itertools.count(10**15)

Servers = Mapping[str, Sequence[PostgresServer]]  # by what they are
Parts = Mapping[str, float]  # seconds of CPU
MakeRequest = Callable[[str, int], bytes]  # of a token, and a number that no other has


class Cluster(Struct, frozen=True):
    """A database's servers by what they are, and its URL."""

    servers: Servers
    url: str


class Figures(Struct, frozen=True):
    """Requests per second, and seconds of CPU per request of each part."""

    rate: float
    cpu: Parts


@contextmanager
def _plain(folder: Path) -> Iterator[Cluster]:
    with PostgresServer(folder, *_OPTIONS) as server, server.fresh() as url:
        yield Cluster({"coordinator": [server]}, url)


@contextmanager
def _citus(folder: Path, workers: int, *, by_worker: bool = False) -> Iterator[Cluster]:
    with CitusCluster(folder, *_OPTIONS, workers=workers) as cluster, cluster.fresh() as url:
        asked = cluster.workers[0] if by_worker else cluster  # any of them can be
        servers: Servers = {"coordinator": [cluster], "workers": cluster.workers}
        yield Cluster(servers, asked.url(url.rpartition("/")[2]))


_KINDS: Mapping[str, Callable[[Path], AbstractContextManager[Cluster]]] = {
    "PostgreSQL": _plain,
    "Citus, one server": lambda folder: _citus(folder, 0),
    "Citus, two workers": lambda folder: _citus(folder, 2),
    "Citus, by a worker": lambda folder: _citus(folder, 2, by_worker=True),
}


def _tree(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text(encoding="ascii").split():
            yield from _tree(int(child))


def _cpu(pids: Sequence[int]) -> dict[int, int]:
    """Nanoseconds of CPU of each process of these trees."""
    found = {}
    for pid in itertools.chain.from_iterable(map(_tree, pids)):
        total = 0
        for stat in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            total += int(stat.read_text(encoding="ascii").split()[0])
        found[pid] = total
    return found


class Meter:
    """The CPU of the service and of the database's servers since the meter was made."""

    def __init__(self, cluster: Cluster, service: Server) -> None:
        self._pids = {name: [one.pid for one in all_] for name, all_ in cluster.servers.items()}
        self._pids["service"] = [service.pid]
        self._before = {name: _cpu(pids) for name, pids in self._pids.items()}

    def read(self) -> dict[str, float]:
        """Seconds of each part."""
        return {
            name: sum(ns - self._before[name].get(pid, 0) for pid, ns in _cpu(pids).items()) / 1e9
            for name, pids in self._pids.items()
        }


def _make_tokens(url: str, stores: int) -> list[str]:
    with closing(open_administration(url)) as administration:
        return [
            administration.create_token(TokenRequest(subject="ada", store=f"store-{n}")).secret
            for n in range(stores)
        ]


def make_create(token: str, number: int) -> bytes:
    """A create of the plant with this id."""
    body = b'{"id":%d,"name":"Monstera deliciosa","tag":"tropical"}' % number
    head = f"POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def make_list(token: str, _number: int) -> bytes:
    """A list from memory."""
    head = "GET /plants?limit=100 HTTP/1.1\r\nHost: x\r\n"
    return f"{head}Authorization: Bearer {token}\r\n\r\n".encode()


_REQUESTS = {"create": make_create, "list of 100": make_list}


async def send_all(origin: str, tokens: Sequence[str], make: MakeRequest, count: int) -> None:
    """Send so many requests over all connections; each has one token."""
    host, port = origin.removeprefix("http://").split(":")
    left = iter(range(count))

    async def send(token: str) -> None:
        reader, writer = await asyncio.open_connection(host, int(port))
        for _ in left:
            writer.write(make(token, next(_numbers)))
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(head.decode())
            length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            await reader.readexactly(int(length))
        writer.close()

    chosen = itertools.islice(itertools.cycle(tokens), _CONNECTIONS)
    await asyncio.gather(*map(send, chosen))


def _measure(
    cluster: Cluster, service: Server, tokens: Sequence[str], kind: str, count: int
) -> Figures:
    """The least CPU of some runs, and the highest rate."""
    runs = []
    for _ in range(_RUNS):
        meter, began = Meter(cluster, service), time.monotonic()
        asyncio.run(send_all(service.origin, tokens, _REQUESTS[kind], count))
        rate = count / (time.monotonic() - began)
        runs.append(Figures(rate, {name: value / count for name, value in meter.read().items()}))
    least = min(runs, key=lambda run: sum(run.cpu.values()))
    return Figures(max(run.rate for run in runs), least.cpu)


@click.command()
@click.option("--requests", default=3000, help="Requests of a run.")
@click.argument("kinds", nargs=-1)
def main(requests: int, kinds: Sequence[str]) -> None:
    """Measure creates and lists over 1 and 64 stores on each kind of database."""
    parts = ("service", "coordinator", "workers")
    table = Table("database", "stores", "request", "per second", *parts, box=None, pad_edge=False)
    for kind in kinds or _KINDS:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            cluster = stack.enter_context(_KINDS[kind](folder / "database"))
            service = stack.enter_context(running_service(cluster.url, folder, cores=ALL_CORES))
            tokens = _make_tokens(
                cluster.servers["coordinator"][0].url(cluster.url.rpartition("/")[2]), 64
            )
            asyncio.run(send_all(service.origin, tokens, make_create, 64 * _PLANTS))
            for stores, request in itertools.product((1, 64), _REQUESTS):
                found = _measure(cluster, service, tokens[:stores], request, requests)
                cpu = [f"{found.cpu.get(part, 0) * 1e6:.0f} µs" for part in parts]
                table.add_row(kind, str(stores), request, f"{found.rate:.0f}", *cpu)
                sys.stderr.write(f"{kind} {stores} {request} {found.rate:.0f} {cpu}\n")
    Console(highlight=False, width=120).print(table)


if __name__ == "__main__":
    main()
