"""Loads: wrk for some seconds, with one of the scripts in ``lua/``.

Invariant: a run with any response that is an error, or cut, raises.
"""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.scenarios import Scenario
from bench.servers import LOAD_CORES, Response, WrongResponseError, fetch, pin
from bench.stores import SPACING, Store

LUA = Path(__file__).parent / "lua"
_NEW_PLANT = b'{"id":1000000000000000,"name":"Monstera deliciosa","tag":"tropical"}'


class Load(Struct, frozen=True):
    """A scenario's load for one server, and that server's response to it."""

    scenario: Scenario
    store: Store
    origin: str
    headers: dict[str, str]
    response: Response
    cores: Sequence[int]


class Counts(Struct, frozen=True):
    """What wrk counted; times in seconds. ``wrong`` are errors, and responses that were cut."""

    requests: int
    seconds: float
    p50: float
    p99: float
    wrong: int


def make_load(
    scenario: Scenario, origin: str, store: Store, cores: Sequence[int] = LOAD_CORES
) -> Load:
    """Ask the server once for the scenario's response, and make the load for it."""
    headers = {"Authorization": f"Bearer {store.token}"}
    if not scenario.listed:
        first = fetch(origin, "GET", scenario.path, headers)
        etag = next(value for name, value in first.headers if name.lower() == b"etag")
        headers["If-None-Match"] = etag.decode()
    path, body, media_type = scenario.path, None, "application/json"
    if scenario.script == "changes":
        body, media_type = _NEW_PLANT, "application/x-ndjson"
    elif scenario.method == "POST":
        path, body = "/plants", _NEW_PLANT
    elif scenario.method == "DELETE":
        path = f"/plants/{store.plants * SPACING}"
    content_type = {"Content-Type": media_type} if body else {}
    response = fetch(origin, scenario.method, path, headers | content_type, body)
    expected = {"GET": 200 if scenario.listed else 304, "POST": 200, "DELETE": 204}[scenario.method]
    listed = response.body.count(b'"name"') if scenario.method == "GET" else scenario.listed
    if (response.status, listed) != (expected, scenario.listed):
        raise WrongResponseError(f"{scenario.method} gives {response.status}, {listed} plants")
    return Load(scenario, store, origin, headers, response, cores)


def run_wrk(load: Load, first_number: int, seconds: int) -> Counts:
    """Run the load; its requests have numbers beyond the first."""
    scenario = load.scenario
    command = ["wrk", "-t1", f"-c{scenario.connections}", f"-d{seconds}s", "--timeout", "30s"]
    command += ["--script", f"{scenario.script}.lua"]
    for name, value in load.headers.items():
        command += ["--header", f"{name}: {value}"]
    command += [f"{load.origin}{scenario.path}", "--", str(first_number), str(load.store.pages)]
    done = subprocess.run(
        pin(command, load.cores),
        cwd=LUA,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    try:
        counts = msgspec.json.decode(done.stdout.splitlines()[-1], type=Counts)
    except (IndexError, msgspec.DecodeError):
        raise WrongResponseError(f"wrk failed:\n{done.stdout.decode()}") from None
    if counts.wrong or not counts.requests:
        raise WrongResponseError(f"{counts.wrong} of {counts.requests} responses are wrong")
    return counts
