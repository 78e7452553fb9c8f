"""``python -m bench.tenants``: how long one tenant waits while another floods the service.

The median time of a list and of a create may be up to three times that without the flood.
"""

import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import median, quantiles

import click
from msgspec import Struct

from bench.load import Load
from bench.servers import ALL_CORES, Server, WrongResponseError, fetch, running_service
from bench.stores import fresh_database, make_store
from tests.databases import execute

_MAX_RATIO = 3.0
_EVENTS, _PLANTS = 1000, 2000
_ROUNDS = 5
_START_SECONDS = 1.0
_PAIRS = 100  # of a list and a create, per round
_FILL = """
INSERT INTO events (store_id, revision, kind, plant_id, name, at, user_id, token_label, token_id)
VALUES (1, $1, 'plant.created', $1, $2, 0, 1, 'bench', 'bench')
"""
_FILL_PLANTS = "INSERT INTO plants (store_id, id, name) VALUES (1, $1, $2)"
_COUNT = "UPDATE revisions SET revision = $1, plants = $2"
_OK, _OVERLOADED = 200, 503
_RETRIES = 20  # a refusal takes a second


class Flood(Struct, frozen=True):
    """Requests of one kind, each with a body of ``count`` lines, and their expected ``status``."""

    path: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    line: str = "-"
    count: int = 0
    status: int = 200


_NEW_PLANT = '{"id":NUMBER,"name":"Monstera deliciosa"}\n'
_LARGE_PLANT = f'{{"id":NUMBER,"name":"{1000 * "🌿"}","tag":"{256 * "🌿"}"}}\n'  # the largest
_PLANT = '{"name":"Monstera NUMBER"}\n'  # a new name each time, else nothing is written
_CHANGE = '{"op":"upsert","id":1NUMBER,"name":"Monstera deliciosa"}\n'
_OF_JSON = (("Content-Type", "application/json"),)
_OF_NDJSON = (("Content-Type", "application/x-ndjson"),)
_PAGE = "?limit=LIMIT&n=NUMBER"
FLOODS = {
    "changes": Flood("/changes", "POST", _OF_NDJSON, _CHANGE, 1000),
    "changes-atomic": Flood("/changes?atomic=true", "POST", _OF_NDJSON, _CHANGE, 1000),
    "create": Flood("/plants", "POST", _OF_JSON, _NEW_PLANT, 1),
    "create-large": Flood("/plants", "POST", _OF_JSON, _LARGE_PLANT, 1),
    "events": Flood(f"/events{_PAGE}"),
    "list": Flood(f"/plants{_PAGE}"),
    "list-all": Flood("/plants?n=NUMBER"),
    "list-csv-all": Flood("/plants?n=NUMBER", headers=(("Accept", "text/csv"),)),
    "list-etag": Flood(f"/plants{_PAGE}&include=etag"),
    "list-same": Flood("/plants?limit=1"),
    "list-short": Flood("/plants?limit=1&n=NUMBER"),
    "me": Flood("/me"),
    "refused": Flood("/plants/1", "PUT", _OF_JSON, _NEW_PLANT, 1, 400),
    "replace": Flood("/plants/1", "PUT", _OF_JSON, _PLANT, 1),
    "tags": Flood("/tags?limit=LIMIT&n=NUMBER"),
}

Times = Mapping[str, list[float]]  # seconds


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(tuple(FLOODS)), metavar="[NAMES]")
@click.option("--connections", default=16, show_default=True)
@click.option("--postgres", is_flag=True, help="On PostgreSQL instead of SQLite.")
def main(names: tuple[str, ...], connections: int, *, postgres: bool) -> None:
    """Flood a store of 2,000 plants and 1,000 events; time another store's requests."""
    with tempfile.TemporaryDirectory(prefix="plantstore-tenants-") as name, ExitStack() as stack:
        folder = Path(name)
        url = stack.enter_context(fresh_database(folder, postgres=postgres))
        flooding = make_store(url, 0, "flooding", "editor").token
        execute(url, _FILL, [(number, "F" * 1000) for number in range(1, _EVENTS + 1)])
        execute(url, _FILL_PLANTS, [(number, "F" * 250) for number in range(1, _PLANTS + 1)])
        execute(url, _COUNT, [(_EVENTS, _PLANTS)])
        token = make_store(url, 0).token
        service = stack.enter_context(running_service(url, folder, cores=ALL_CORES))
        ratios = [_measure(service, flooding, token, name, connections) for name in names or FLOODS]
    sys.exit(max(ratios) > _MAX_RATIO)


def _measure(service: Server, flooding: str, token: str, name: str, connections: int) -> float:
    """Print the medians and 95th percentiles; returns the greatest ratio of medians."""
    alone: Times = {"list": [], "create": []}
    beside: Times = {"list": [], "create": []}
    for _ in range(_ROUNDS):
        _time(service, token, alone)
        with _flood(service, flooding, FLOODS[name], connections):
            _time(service, token, beside)
    click.echo(name)
    ratios = []
    for request, quiet in alone.items():
        times = beside[request]
        ratios.append(median(times) / median(quiet))
        figures = ", ".join(
            f"{name} {1000 * of(quiet):.2f} to {1000 * of(times):.2f} ms"
            for name, of in (("median", median), ("p95", _find_p95))
        )
        click.echo(f"{request:8} {ratios[-1]:5.1f} times: {figures}")
    return max(ratios)


def _find_p95(times: list[float]) -> float:
    return quantiles(times, n=20)[-1]


@contextmanager
def _flood(service: Server, token: str, flood: Flood, connections: int) -> Iterator[None]:
    """Send the requests as fast as these connections receive responses."""
    headers = {"Authorization": f"Bearer {token}", **dict(flood.headers)}
    first = time.time_ns() // 10**6 % 10**9 * 1000  # used in no other run
    path, line = (
        part.replace("LIMIT", "1").replace("NUMBER", f"{first}")
        for part in (flood.path, flood.line)
    )
    body = line.encode() if flood.count else None
    response = fetch(service.origin, flood.method, path, headers, body)
    for _ in range(_RETRIES):
        if response.status != _OVERLOADED:  # by the flood before
            break
        response = fetch(service.origin, flood.method, path, headers, body)
    if response.status != flood.status:
        raise WrongResponseError(f"{flood.method} {path}: {response.status}")
    arguments = (flood.method, flood.path, flood.line, flood.count)
    load = Load("flood", service.origin, headers, connections, arguments).start(
        first, 600, ALL_CORES
    )
    time.sleep(_START_SECONDS)
    try:
        yield
        if load.poll() is not None:
            raise WrongResponseError("wrk ended before the measurement did")
    finally:
        load.terminate()
        load.wait()


def _time(service: Server, token: str, times: Times) -> None:
    """Add the times of lists and of creates of new plants, one by one."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with closing(HTTPConnection(service.origin.removeprefix("http://"))) as connection:
        for _ in range(_PAIRS):
            plant = b'{"id": %d, "name": "Monstera deliciosa"}' % time.time_ns()
            for name, request in (
                ("create", ("POST", "/plants", plant, headers)),
                ("list", ("GET", "/plants?limit=100", None, headers)),
            ):
                begin = time.perf_counter()
                connection.request(*request)
                response = connection.getresponse()
                response.read()
                times[name].append(time.perf_counter() - begin)
                if response.status != _OK:
                    raise WrongResponseError(f"{name}: {response.status}")


if __name__ == "__main__":
    main()
