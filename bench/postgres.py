"""What the service does on PostgreSQL, in turns with pgbench doing the bare statements.

Server, service and load share all cores: nothing is pinned, and all of it is on one disk.
"""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bench.answers import Answer, Asked, fetch
from bench.lines import BY_NAME, Line
from bench.load import Run, WrongAnswersError, running_load
from bench.rounds import Pace, Spread, spread
from bench.stores import SPACING, STORE
from bench.trial import NEW_ID, first_number, make_load, record_answers
from plantstore.bootstrap import open_administration
from tests.postgres.server import PROGRAMS, PostgresServer
from tests.service import Service

_CONNECTIONS = 64
_PLANTS = 10**6
_FILL = """
    INSERT INTO plants (store_id, id, name, tag)
    SELECT 1, n * {spacing}, 'Monstera deliciosa ' || lpad(n::text, 8, '0'),
        CASE WHEN n % 2 = 1 THEN 'tropical' END
    FROM generate_series(1, {plants}) AS n
"""
_SCRIPTS = Path(__file__).parent / "pgbench"
# What is compared: our load, and the weights of pgbench's scripts.
_COMPARISONS = (
    ("create, by a bare insert", "create-32", {"insert": 1}),
    ("create, by all of its statements", "create-32", {"create": 1}),
    ("list, by a bare look-up", "list-100@1e5", {"look_up": 1}),
    ("list, by all of its statements", "list-100@1e5", {"list": 1}),
    ("mix, by all of its statements", "mix", {"list": 90, "create": 9, "delete": 1}),
)


class PostgresTurn(Struct, frozen=True):
    """The service's runs, and the rates of bare statements at as many connections, in pairs."""

    name: str
    processes: int
    service: list[Run]
    bare: list[float]

    @property
    def ratio(self) -> Spread:
        """The service's rate by the bare statements'."""
        pairs = zip(self.service, self.bare, strict=True)
        return spread([run.rate / bare for run, bare in pairs])


class PostgresResult(Struct, frozen=True):
    """All turns."""

    turns: list[PostgresTurn]


def measure_postgres(folder: Path, pace: Pace) -> PostgresResult:
    """Measure with one process of the service, and with two."""
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    with PostgresServer(folder / "postgres", "fsync = on", "shared_buffers = 256MB") as server:
        turns = [turn for processes in (1, 2) for turn in _measure(server, folder, processes, pace)]
    return PostgresResult(turns)


def _measure(
    server: PostgresServer, folder: Path, processes: int, pace: Pace
) -> Iterator[PostgresTurn]:
    numbers = count(1)
    with _running(server, folder, processes) as service:
        headers = {"Authorization": f"Bearer {service.make_token(STORE, 'bench')}"}
        for name, line_name, scripts in _COMPARISONS:
            line = replace(BY_NAME[line_name], plants=_PLANTS, connections=_CONNECTIONS)
            load = make_load(line, headers, _record(line, service, headers), folder)
            bare: list[float] = []
            runs: list[Run] = []
            for _ in range(pace.rounds):
                bare.append(_run_pgbench(service.database, scripts, pace.seconds))
                first = first_number(line, next(numbers), len(_COMPARISONS) * pace.runs)
                with running_load(load, service.origin, first, pace.seconds) as running:
                    runs.append(running.finish())
            yield PostgresTurn(name, processes, runs, bare)


@contextmanager
def _running(server: PostgresServer, folder: Path, processes: int) -> Iterator[Service]:
    """The service on a database of its own, with a store of 10^6 plants."""
    with server.fresh() as url:
        with closing(open_administration(url)) as administration:
            administration.create_store(STORE)
        fill = _FILL.format(spacing=SPACING, plants=_PLANTS)
        server.execute(fill, "VACUUM ANALYZE", database=url.rpartition("/")[2])
        place = folder / f"service-{processes}"
        place.mkdir()
        with Service(place, database=url, settings={"workers": processes}) as service:
            yield service


def _record(line: Line, service: Service, headers: dict[str, str]) -> dict[str, Answer]:
    answers = record_answers(line, service, headers)
    if "POST" in answers:  # another line's plant has the same id
        fetch(service.origin, Asked("DELETE", f"/plants/{NEW_ID}", headers))
    return answers


def _run_pgbench(url: str, scripts: dict[str, int], seconds: int) -> float:
    """Transactions a second, at as many connections as the service's load has."""
    command = [str(PROGRAMS / "pgbench"), "--no-vacuum", "--protocol", "prepared"]
    command += ["--client", str(_CONNECTIONS), "--time", str(seconds)]
    for name, weight in scripts.items():
        command += ["--file", f"{_SCRIPTS / name}.sql@{weight}"]
    done = subprocess.run([*command, url], capture_output=True, check=False, text=True)
    found = re.search(r"^tps = ([\d.]+)", done.stdout, re.MULTILINE)
    if found is None or done.returncode:
        raise WrongAnswersError(f"pgbench failed:\n{done.stderr}")
    return float(found[1])
