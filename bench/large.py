"""``python -m bench.large``: what a request costs on a large PostgreSQL, by that on a small one.

CPU of the service and of the database together; other work on the machine changes it little, and
the ratio less: both are measured in turns. The large one has 10^5 stores and 10^7 plants, half of
them in the store that is asked, the small one that store with 10^3: 2 GB of disk.
"""

import asyncio
import statistics
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import click
from msgspec import Struct

from bench.citus import Cluster, MakeRequest, Meter, make_create, make_list, send_all
from bench.servers import ALL_CORES, Server, running_service
from bench.stores import SPACING, Store, encode_cursor, make_store
from tests.postgres.server import PostgresServer

_SIZES = {"10^3": (1, 10**3, 0), "10^7": (10**5, 5 * 10**6, 50)}  # stores, plants, of each other
_STRIDE = 7919 * 104_729  # from a page to the next that is asked for
_OPTIONS = ("fsync = on", "shared_buffers = 256MB", "max_wal_size = 4GB", "autovacuum = off")
_PLANTS = f"""
    INSERT INTO plants (store_id, id, name, tag)
    SELECT s, n::bigint * {SPACING}, 'Monstera deliciosa ' || lpad(n::text, 8, '0'),
        CASE WHEN n % 2 = 1 THEN 'tropical' END
    FROM generate_series({{first}}, {{last}}) AS s, generate_series(1, {{plants}}) AS n
"""  # noqa: S608 - the numbers are ours
_OTHERS = (
    "INSERT INTO stores SELECT s, s, 1 FROM generate_series(2, {last}) AS s",
    "INSERT INTO users SELECT s, s FROM generate_series(2, {last}) AS s",
    "INSERT INTO revisions SELECT s FROM generate_series(2, {last}) AS s",
    "INSERT INTO members SELECT s, s, 'owner' FROM generate_series(2, {last}) AS s",
    """INSERT INTO tokens SELECT s, sha256(s::text::bytea), s, false, 'list', '', 1
        FROM generate_series(2, {last}) AS s""",
)


class Serving(Struct, frozen=True):
    """A database's server, the store that is asked, and the service."""

    cluster: Cluster
    store: Store
    service: Server

    def measure(self, make: MakeRequest, count: int) -> float:
        """Microseconds of CPU of a request."""
        meter = Meter(self.cluster, self.service)
        asyncio.run(send_all(self.service.origin, [self.store.token], make, count))
        return sum(meter.read().values()) / count * 1e6


@contextmanager
def _serving(server: PostgresServer, folder: Path, size: str) -> Iterator[Serving]:
    stores, plants, others = _SIZES[size]
    (folder / size).mkdir()
    with server.fresh() as url:
        store = make_store(url, plants)
        filling = [
            *(statement.format(last=stores) for statement in _OTHERS),
            _PLANTS.format(first=1, last=1, plants=plants),
            _PLANTS.format(first=2, last=stores, plants=others),
        ]
        server.execute(*filling, "VACUUM ANALYZE", "CHECKPOINT", database=url.rpartition("/")[2])
        with running_service(url, folder / size, cores=ALL_CORES) as service:
            yield Serving(Cluster({"database": [server]}, url), store, service)


def _make_miss(plants: int, token: str, number: int) -> bytes:
    """A list of another page than before."""
    cursor = encode_cursor(number * _STRIDE % ((plants - 100) * SPACING))
    head = f"GET /plants?limit=100&after={cursor} HTTP/1.1\r\nHost: x\r\n"
    return f"{head}Authorization: Bearer {token}\r\n\r\n".encode()


def _requests(store: Store) -> Mapping[str, MakeRequest]:
    miss = partial(_make_miss, store.plants)
    return {"list from memory": make_list, "list not in memory": miss, "create": make_create}


@click.command()
@click.option("--requests", default=3000, help="Requests of a run.")
@click.option("--rounds", default=5, help="Runs on each database.")
def main(requests: int, rounds: int) -> None:
    """Measure lists and creates of one store over 64 connections."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(PostgresServer(folder / "database", *_OPTIONS))
        databases = {s: stack.enter_context(_serving(server, folder, s)) for s in _SIZES}
        for kind in ("list from memory", "list not in memory", "create"):
            runs: dict[str, list[float]] = {size: [] for size in databases}
            for _ in range(rounds):
                for size, one in databases.items():
                    runs[size].append(one.measure(_requests(one.store)[kind], requests))
            small, large = (statistics.median(costs) for costs in runs.values())
            click.echo(f"{kind}: {small:.0f} µs, {large:.0f} µs, ratio {large / small:.2f}")


if __name__ == "__main__":
    main()
