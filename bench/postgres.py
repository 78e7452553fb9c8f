"""What the service reaches on PostgreSQL, beside pgbench with the bare statements.

The database, the service and the loads share all cores, and all of it is on one disk.
"""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.load import make_load
from bench.rounds import SERVICE, Result, Rounds, Run, run_load, run_rounds
from bench.scenarios import PGBENCH, Scenario
from bench.servers import ALL_CORES, Server, WrongResponseError, running_service
from bench.stores import SPACING, Store, make_store
from tests.postgres.server import PROGRAMS, PostgresServer

_PLANTS = 10**6
_FILL = f"""
    INSERT INTO plants (store_id, id, name, tag)
    SELECT 1, n * {SPACING}, 'Monstera deliciosa ' || lpad(n::text, 8, '0'),
        CASE WHEN n % 2 = 1 THEN 'tropical' END
    FROM generate_series(1, {_PLANTS}) AS n
"""  # noqa: S608 - the numbers are ours
_CONNECT_SECONDS = 3  # which pgbench counts in its time, but not in its rate
_SCRIPTS = Path(__file__).parent / "pgbench"


@contextmanager
def running_on_postgres(folder: Path) -> Iterator[tuple[Server, Store]]:
    """The service on a database with 10^6 plants."""
    with (
        PostgresServer(folder / "postgres", "fsync = on", "shared_buffers = 256MB") as server,
        server.fresh() as url,
    ):
        store = make_store(url, _PLANTS)
        server.execute(_FILL, "VACUUM ANALYZE", database=url.rpartition("/")[2])
        with running_service(url, folder, cores=ALL_CORES) as service:
            yield service, store


def measure_on_postgres(
    scenario: Scenario, rounds: Rounds, service: Server, store: Store
) -> Result:
    """The scenario's numbers."""
    load = make_load(scenario, service.origin, store, ALL_CORES)
    servers = {
        SERVICE: partial(run_load, load, service, rounds),
        PGBENCH: partial(_run_pgbench, scenario, store.database),
    }
    return Result(scenario, run_rounds(servers, rounds), service.memory())


def _run_pgbench(scenario: Scenario, url: str, _number: int, seconds: int) -> Run:
    """Transactions a second, at as many connections as the service's load has."""
    command = [str(PROGRAMS / "pgbench"), "--no-vacuum", "--protocol", "prepared"]
    command += [f"--client={scenario.connections}", f"--time={seconds + _CONNECT_SECONDS}"]
    command += ["--file", str(_SCRIPTS / f"{scenario.script}.sql"), url]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    found = re.search(r"^tps = ([\d.]+)", done.stdout, re.MULTILINE)
    if found is None or done.returncode:
        raise WrongResponseError(f"pgbench failed:\n{done.stdout}{done.stderr}")
    return Run(float(found[1]))
