"""``python -m bench.tenants``: how long a store's requests take while other stores flood it.

A flood such as ``create:64+events:8`` mixes requests, each kind on so many connections. The service
has one core and the clients another; with ``--shared`` all have both.

The median time of a request may be up to three times that without the flood.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import median, quantiles

import click
from msgspec import Struct

from bench.clients import CLIENTS
from bench.kinds import KINDS, Kind
from bench.load import Load
from bench.servers import (
    ALL_CORES,
    LOAD_CORES,
    PYTHON,
    SERVER_CORES,
    Server,
    WrongResponseError,
    pin,
    running_service,
)
from bench.stores import fresh_database, make_store
from tests.databases import execute

_MAX_RATIO = 3.0
_EVENTS, _PLANTS = 1000, 2000
_LONG = 100  # plants with long names
_ROUNDS = 5
_START_SECONDS, _MAX_START_SECONDS = 1.0, 20.0
_STARTED_PER_SECOND = 500  # connections
_TIMES = 100  # of each request, per round
_FILL = """
INSERT INTO events (store_id, revision, kind, plant_id, name, at, user_id, token_label, token_id)
VALUES ($1, $2, 'plant.created', $2, $3, 0, $1, 'bench', 'bench')
"""
_FILL_PLANTS = "INSERT INTO plants (store_id, id, name, tag) VALUES ($1, $2, $3, $4)"
_COUNT = "UPDATE revisions SET revision = $1, plants = $2"
_OVERLOADED = 503

Times = Mapping[str, list[float]]  # seconds, by the kind of request
Flood = Sequence[tuple[str, int]]  # kinds, each with its number of connections


class Floods(click.ParamType[Flood]):
    """Reads floods such as ``create:64+events``; the default is 16 connections."""

    name = "flood"

    def convert(
        self, value: str, param: click.Parameter | None, context: click.Context | None
    ) -> Flood:
        flood = []
        for part in value.split("+"):
            kind, _, connections = part.partition(":")
            if kind not in (known := [*KINDS, *CLIENTS]):
                self.fail(f"{kind} is none of {', '.join(known)}", param, context)
            flood.append((kind, int(connections or 16)))
        return flood


@click.command()
@click.argument("floods", nargs=-1, type=Floods())
@click.option("--victim", "victims", multiple=True, type=click.Choice(tuple(KINDS)))
@click.option("--stores", default=1, show_default=True, help="Stores with each flood.")
@click.option("--postgres", is_flag=True, help="On PostgreSQL instead of SQLite.")
@click.option("--shared", is_flag=True, help="The service and the clients share both cores.")
def main(
    floods: tuple[Flood, ...],
    victims: tuple[str, ...],
    stores: int,
    *,
    postgres: bool,
    shared: bool,
) -> None:
    """Flood stores of 2,000 plants and 1,000 events; time the requests of another store."""
    with tempfile.TemporaryDirectory(prefix="plantstore-tenants-") as name, ExitStack() as stack:
        folder = Path(name)
        cores = (ALL_CORES, ALL_CORES) if shared else (SERVER_CORES, LOAD_CORES)
        os.sched_setaffinity(0, cores[0])  # of a database's server, too
        url = stack.enter_context(fresh_database(folder, postgres=postgres))
        flooding = [make_store(url, 0, f"flooding-{n}").token for n in range(stores)]
        numbers = range(1, _PLANTS + 1)
        for store in range(1, stores + 1):
            execute(url, _FILL, [(store, number, "F" * 1000) for number in numbers[:_EVENTS]])
            names = [1000 * "F" if n <= _LONG else 250 * "F" for n in numbers]
            plants = [(store, n, name, f"t{n % 50}") for n, name in enumerate(names, 1)]
            execute(url, _FILL_PLANTS, plants)
        execute(url, _COUNT, [(_EVENTS, _PLANTS)])
        token = make_store(url, 0).token
        service = stack.enter_context(running_service(url, folder, cores=cores[0]))
        os.sched_setaffinity(0, cores[1])
        bench = Bench(service, cores[1], flooding, token, victims or ("create", "list-100"))
        ratios = [bench.measure(flood) for flood in floods or [[(kind, 16)] for kind in KINDS]]
    sys.exit(max(ratios) > _MAX_RATIO)


class Bench(Struct):
    """A service, the cores of its clients, the tokens of the floods, and the timed requests."""

    service: Server
    cores: Sequence[int]
    flooding: Sequence[str]
    token: str
    victims: Sequence[str]

    def measure(self, flood: Flood) -> float:
        """Print the medians and 95th percentiles; returns the greatest ratio of medians."""
        alone: Times = {victim: [] for victim in self.victims}
        beside: Times = {victim: [] for victim in self.victims}
        for _ in range(_ROUNDS):
            self._time(alone)
            with self._flood(flood):
                self._time(beside)
        click.echo("+".join(f"{kind}:{connections}" for kind, connections in flood))
        ratios = []
        for victim, quiet in alone.items():
            times = beside[victim]
            ratios.append(median(times) / median(quiet))
            figures = ", ".join(
                f"{name} {1000 * of(quiet):.2f} to {1000 * of(times):.2f} ms"
                for name, of in (("median", median), ("p95", _find_p95))
            )
            click.echo(f"{victim:17} {ratios[-1]:5.1f} times: {figures}")
        return max(ratios)

    def _time(self, times: Times) -> None:
        """Add the times of the requests, one by one."""
        with closing(HTTPConnection(self.service.origin.removeprefix("http://"))) as connection:
            for _ in range(_TIMES):
                for victim, seconds in times.items():
                    begin = time.perf_counter()
                    status = _send(connection, self.token, KINDS[victim])
                    seconds.append(time.perf_counter() - begin)
                    if status // 100 != KINDS[victim].status // 100:
                        raise WrongResponseError(f"{victim}: {status}")

    @contextmanager
    def _flood(self, flood: Flood) -> Iterator[None]:
        """Send the requests as fast as these connections receive responses."""
        with ExitStack() as stack:
            for token in self.flooding:
                for kind, connections in flood:
                    stack.enter_context(self._send_all(token, kind, connections))
            connections = len(self.flooding) * sum(count for _, count in flood)
            time.sleep(_START_SECONDS + connections / _STARTED_PER_SECOND)
            yield

    def _check(self, token: str, kind: str) -> None:
        deadline, status = time.monotonic() + _MAX_START_SECONDS, _OVERLOADED
        while status == _OVERLOADED and time.monotonic() < deadline:  # by the flood before
            with closing(HTTPConnection(self.service.origin.removeprefix("http://"))) as connection:
                status = _send(connection, token, KINDS[kind], whole=False)
        if status != KINDS[kind].status:
            raise WrongResponseError(f"{kind}: {status}")

    @contextmanager
    def _send_all(self, token: str, name: str, connections: int) -> Iterator[None]:
        load = self._start(token, name, connections)
        os.setpriority(os.PRIO_PROCESS, load.pid, 19)  # the timed client comes before it
        try:
            yield
            if load.poll() is not None:
                raise WrongResponseError(f"{name} ended before the measurement did")
        finally:
            load.terminate()
            load.wait()

    def _start(self, token: str, name: str, connections: int) -> "subprocess.Popen[bytes]":
        if name in CLIENTS:
            command = [PYTHON, "-m", "bench.clients", name, str(connections)]
            return subprocess.Popen(pin([*command, self.service.origin, token], self.cores))
        self._check(token, name)
        kind = KINDS[name]
        headers = {"Authorization": f"Bearer {token}", **dict(kind.headers)}
        arguments = (kind.method, kind.path, kind.line or "-", kind.count)
        load = Load("flood", self.service.origin, headers, connections, arguments)
        return load.start(_new_number(), 600, self.cores)


def _send(connection: HTTPConnection, token: str, kind: Kind, *, whole: bool = True) -> int:
    """Send a request with new numbers; returns the response's status."""
    path = kind.path.replace("LIMIT", "1").replace("NUMBER", str(_new_number()))
    lines = (kind.line.replace("NUMBER", str(_new_number() + n)) for n in range(kind.count))
    headers = {"Authorization": f"Bearer {token}", **dict(kind.headers)}
    connection.request(kind.method, path, "".join(lines).encode() or None, headers)
    response = connection.getresponse()
    if whole:
        response.read()
    return response.status


def _new_number() -> int:
    """The first of 1,000 numbers that no other request has."""
    return time.time_ns() // 10**5 % 10**12 * 1000


def _find_p95(times: list[float]) -> float:
    return quantiles(times, n=20)[-1]


if __name__ == "__main__":
    main()
