"""Measures a scenario in rounds, each a short run of the service and of its baseline.

So a noisy machine disturbs all of them alike, and hardly their ratio.
"""

import statistics
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bench.baselines import run_pgbench, running_nginx
from bench.load import Load, Run
from bench.scenarios import NGINX, PGBENCH, Scenario
from bench.servers import (
    ALL_CORES,
    LOAD_CORES,
    SERVER_CORES,
    Response,
    Server,
    WrongResponseError,
    fetch,
    running_service,
)
from bench.stores import fill_store, fresh_database

SERVICE = "service"
_WARM_UP_SECONDS = 1

RunServer = Callable[[int, int], Run]  # takes the run's number and its seconds


class Result(Struct, frozen=True):
    """A scenario's runs by server, ``service`` first; ``memory`` is the service's, in MiB."""

    runs: dict[str, list[Run]]
    memory: float

    def median(self, server: str, field: str) -> float:
        """The median of a field over the server's runs."""
        values: list[float] = [getattr(run, field) for run in self.runs[server]]
        return statistics.median(values)

    def ratios(self, baseline: str) -> list[float]:
        """The service's rate divided by the baseline's, round by round."""
        pairs = zip(self.runs[SERVICE], self.runs[baseline], strict=True)
        return [service.rate / other.rate for service, other in pairs]


def measure(scenario: Scenario, rounds: int, seconds: int) -> Result:
    """Warm up every server, then run one after another, round by round."""
    with tempfile.TemporaryDirectory(prefix="plantstore-bench-") as path, ExitStack() as stack:
        folder = Path(path)
        url = stack.enter_context(fresh_database(folder, postgres=scenario.postgres))
        store = fill_store(url, scenario.plants)
        cores = ALL_CORES if scenario.postgres else SERVER_CORES
        service = stack.enter_context(running_service(url, folder, cores=cores))
        headers = {"Authorization": f"Bearer {store.token}"}
        if not scenario.listed:
            listed = fetch(service.origin, "GET", scenario.path, headers)
            etag = next(value for name, value in listed.headers if name.lower() == b"etag")
            headers["If-None-Match"] = etag.decode()
        response = _send_first_request(scenario, service, headers)
        # Each run deletes other plants of the store.
        numbers = store.plants // (rounds + 1) if scenario.method == "DELETE" else 10**9
        make_runs = partial(_make_runs, scenario, headers, numbers)
        servers: dict[str, RunServer] = {SERVICE: make_runs(service)}
        if scenario.baseline == PGBENCH:
            servers[PGBENCH] = lambda _, seconds: run_pgbench(scenario, url, seconds)
        elif scenario.baseline == NGINX:
            nginx = stack.enter_context(running_nginx(folder, response))
            if fetch(nginx.origin, "GET", scenario.path, headers).body != response.body:
                raise WrongResponseError("the response of nginx differs")
            servers[NGINX] = make_runs(nginx)
        for run_server in servers.values():
            run_server(0, _WARM_UP_SECONDS)
        runs: dict[str, list[Run]] = {name: [] for name in servers}
        for number in range(1, rounds + 1):
            for name, run_server in servers.items():
                runs[name].append(run_server(number, seconds))
        return Result(runs, service.memory())


def _send_first_request(scenario: Scenario, server: Server, headers: dict[str, str]) -> Response:
    """Send the scenario's first request; return the response."""
    method, body = scenario.method, scenario.body
    content_type = {"Content-Type": scenario.media_type} if body else {}
    response = fetch(server.origin, method, scenario.path, headers | content_type, body)
    listed = response.body.count(b'"name"') if method == "GET" else scenario.listed
    if (response.status, listed) != (scenario.status, scenario.listed):
        raise WrongResponseError(f"{method} gives {response.status}, {listed} plants")
    return response


def _make_runs(
    scenario: Scenario, headers: dict[str, str], numbers: int, server: Server
) -> RunServer:
    """A function that runs the scenario's load on the server, each time with new numbers."""
    url, connections = f"{server.origin}{scenario.path}", scenario.connections
    load = Load(scenario.script, url, headers, connections, [scenario.plants])

    def run(number: int, seconds: int) -> Run:
        before = server.cpu_seconds()
        run = load.run(number * numbers, seconds, ALL_CORES if scenario.postgres else LOAD_CORES)
        return replace(run, cpu=(server.cpu_seconds() - before) / run.requests)

    return run
