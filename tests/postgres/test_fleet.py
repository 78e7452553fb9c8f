"""A fleet of two services is upgraded over a migration, one after the other: no request fails."""

import sys
from contextlib import ExitStack
from pathlib import Path

from tests.cli.program import Program
from tests.deploy.proxies import PORTS, proxy
from tests.deploy.test_rolling import calling, wait_until_called
from tests.next_version import NEWEST, next_program
from tests.postgres.server import PostgresServer, free_port
from tests.service import Service
from tests.waiting import wait_until

SETTINGS = {"lame_duck": 4, "trusted_proxies": "127.0.0.1"}  # as in the unit
NEXT = NEWEST["postgres"] + 1
GENTLE = "-- compatible-since: 1\nALTER TABLE plants ADD COLUMN height integer;"


def test_an_upgrade_with_a_migration_fails_no_request(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        url = stack.enter_context(postgres_server.fresh())
        newer = next_program(Program(tmp_path, {"PLANTSTORE_DATABASE": url}), GENTLE, "postgres")
        ports = {documented: free_port() for documented in PORTS}
        services = []
        for documented, port in ports.items():
            (tmp_path / documented).mkdir()
            settings = {**SETTINGS, "port": port}
            service = Service(tmp_path / documented, database=url, settings=settings)
            services.append(stack.enter_context(service))
        token = services[0].make_token()
        (tmp_path / "proxy").mkdir()
        origin = stack.enter_context(proxy("haproxy", tmp_path / "proxy", ports))
        with calling(token, origin) as callers:
            wait_until(lambda: all(caller.kept for caller in callers))
            assert newer.run("migrate").out == f"applied migration {NEXT} (next)\n"
            for service in services:
                assert service.stop() == 0
                service.command = (
                    *("env", f"PYTHONPATH={newer.environ['PYTHONPATH']}"),
                    *(sys.executable, "-m", "plantstore"),
                )
                service.start()
                wait_until_called(service, callers)
        with services[0].client(token) as client:
            stored = {plant["id"] for plant in client.get("/plants?include=id").json()}
        assert stored == set[int]().union(*(caller.kept for caller in callers))
