"""Loads: wrk for some seconds, with one of the scripts in ``lua/``.

Invariant: a run with any response that is an error, cut, or of another size than the recorded one
raises.
"""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.scenarios import Scenario
from bench.servers import LOAD_CORES, pin
from bench.stores import SPACING, Store
from bench.wire import Response, WrongResponseError, fetch

_LUA = Path(__file__).parent / "lua"
_SIZE_TOLERANCE = 0.03  # mixed requests are random
_ID_GROWTH = 8  # digits that request ids get, while the server runs
_END_SECONDS = 60
_NEW_PLANT = b'{"id":1000000000000000,"name":"Monstera deliciosa","tag":"tropical"}'
_JSON = {"Content-Type": "application/json"}


class Load(Struct, frozen=True):
    """A scenario's load for one server, and that server's responses to it by method."""

    scenario: Scenario
    store: Store
    origin: str
    headers: dict[str, str]
    responses: dict[str, Response]
    cores: Sequence[int]


class Counts(Struct, frozen=True):
    """What wrk counted; times in seconds. ``broken`` are responses that did not come whole."""

    requests: int
    seconds: float
    bytes: int
    p50: float
    p99: float
    refused: int
    broken: int


def make_load(
    scenario: Scenario, origin: str, store: Store, cores: Sequence[int] = LOAD_CORES
) -> Load:
    """Ask the server once for each of the scenario's responses, and make the load for it.

    :raises WrongResponseError: a response is not what the scenario is about.
    """
    headers = {"Authorization": f"Bearer {store.token}"}
    if not scenario.listed:
        first = fetch(origin, "GET", scenario.path, headers)
        etag = next(value for name, value in first.headers if name.lower() == b"etag")
        headers["If-None-Match"] = etag.decode()
    responses = {
        "GET": lambda: fetch(origin, "GET", scenario.path, headers),
        "POST": lambda: fetch(origin, "POST", "/plants", headers | _JSON, _NEW_PLANT),
        "DELETE": lambda: fetch(origin, "DELETE", f"/plants/{store.plants * SPACING}", headers),
    }
    recorded = {method: responses[method]() for method in scenario.methods}
    for method, response in recorded.items():
        _check_response(scenario, method, response)
    return Load(scenario, store, origin, headers, recorded, cores)


def run_wrk(load: Load, first_number: int, seconds: int) -> Counts:
    """Run the load; its requests have numbers beyond the first.

    :raises WrongResponseError: a response was wrong.
    """
    counts = count_wrk(load, first_number, seconds)
    _check_counts(counts, load)
    return counts


def count_wrk(load: Load, first_number: int, seconds: int) -> Counts:
    """As ``run_wrk``, where responses may be refusals."""
    scenario = load.scenario
    command = ["wrk", "-t1", f"-c{scenario.connections}", f"-d{seconds}s", "--timeout", "30s"]
    command += ["--script", f"{scenario.script}.lua"]
    for name, value in load.headers.items():
        command += ["--header", f"{name}: {value}"]
    command += [f"{load.origin}{scenario.path}", "--", str(first_number), str(load.store.pages)]
    done = subprocess.run(
        pin(command, load.cores),
        cwd=_LUA,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=seconds + _END_SECONDS,
    )
    try:
        return msgspec.json.decode(done.stdout.splitlines()[-1], type=Counts)
    except (IndexError, msgspec.DecodeError):
        raise WrongResponseError(f"wrk failed:\n{done.stdout.decode()}") from None


def _check_response(scenario: Scenario, method: str, response: Response) -> None:
    expected = {"GET": 200 if scenario.listed else 304, "POST": 200, "DELETE": 204}[method]
    if response.status != expected:
        raise WrongResponseError(f"{method} gives {response.status}: {response.body[:200]!r}")
    listed = response.body.count(b'"name"')
    if method == "GET" and listed != scenario.listed:
        raise WrongResponseError(f"{listed} plants are listed, not {scenario.listed}")


def _check_counts(counts: Counts, load: Load) -> None:
    if counts.refused or counts.broken or not counts.requests:
        raise WrongResponseError(
            f"{counts.refused} errors and {counts.broken} broken responses of {counts.requests}"
        )
    shares = load.scenario.methods.items()
    size = sum(share * load.responses[method].size for method, share in shares)
    # At the end there is a part of a response on each connection.
    sent = counts.requests + load.scenario.connections
    at_least = (1 - _SIZE_TOLERANCE) * size * counts.requests
    at_most = ((1 + _SIZE_TOLERANCE) * size + _ID_GROWTH) * sent
    if not at_least <= counts.bytes <= at_most:
        raise WrongResponseError(
            f"{counts.requests} responses have {counts.bytes} bytes, not {size:.0f} bytes each"
        )
