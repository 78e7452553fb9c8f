"""Rolling restarts behind a proxy fail no request."""

import re
import shlex
import shutil
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from secrets import token_hex

import httpx

import plantstore
from tests.cli.program import clean_environ
from tests.deploy.proxies import CONFIGS, PORTS, proxy
from tests.faults.load import LoadClient, running
from tests.faults.two_processes import process_of
from tests.postgres.server import free_port
from tests.service import Service
from tests.waiting import wait_until

DEPLOY = Path(__file__).parents[2] / "deploy"
PROGRAM = (sys.executable, "-m", "plantstore")


class Caller(LoadClient):
    """A client of a proxy, which sends an idempotency key with each create, and lists."""

    def __init__(self, origin: str, token: str, number: int) -> None:
        super().__init__(origin, token, number)
        self.lists: set[int] = set()  # their statuses
        self._pause = threading.Event()  # leaves CPU time for the restarts

    def send_next(self, client: httpx.Client) -> None:
        """Create a plant, perhaps delete it, and list some."""
        client.headers["Idempotency-Key"] = token_hex(8)
        super().send_next(client)
        self.lists.add(client.get("/plants?limit=10&include=id").status_code)
        self._pause.wait(0.05)


@contextmanager
def calling(token: str, *origins: str) -> Iterator[list[Caller]]:
    """Run two callers of each origin during the block; fail unless all requests succeed."""
    callers = [Caller(origin, token, number) for number, origin in enumerate(origins * 2)]
    with running(callers):
        yield callers
    for caller in callers:
        assert (caller.error, caller.refusals, caller.lists) == (None, [], {200})


def copy_program(folder: Path) -> str:
    """The command of another version of the program, as in another venv."""
    package = folder / "next" / "plantstore"
    shutil.copytree(Path(plantstore.__file__).parent, package)
    (package / "built" / "version.txt").write_text("9.9.9")
    return shlex.join(("env", f"PYTHONPATH={package.parent}", *PROGRAM))


def run_unit(folder: Path, port: int, program: str) -> tuple[str, ...]:
    """The command of plantstore@.service with the shipped settings file, in a test's folders."""
    settings = folder / "plantstore.toml"
    shipped = (DEPLOY / "plantstore.toml").read_text()
    settings.write_text(shipped.replace("/var/lib/plantstore", str(folder.parent)))
    unit = (DEPLOY / "systemd" / "plantstore@.service").read_text()
    unit = unit.replace("/etc/plantstore/plantstore.toml", str(settings)).replace("%i", str(port))
    (line,) = re.findall("^ExecStart=/opt/plantstore/bin/plantstore (.+)$", unit, re.MULTILINE)
    (environ,) = re.findall("^Environment=(.+)$", unit, re.MULTILINE)
    clean = shlex.join(f"{name}={value}" for name, value in clean_environ(folder).items())
    return ("sh", "-c", f"exec env -i {clean} {environ} {program} {line}", "sh")


def find_port() -> int:
    while True:
        port = free_port()
        with suppress(OSError), socket.create_server(("127.0.0.1", port + 1000)):
            return port


def wait_until_called(service: Service, callers: list[Caller]) -> None:
    """Wait until all proxies send requests to the service again; the documented script sleeps."""
    process = process_of(httpx.get(f"{service.origin}/livez"))
    wait_until(lambda: all(process in caller.processes for caller in callers))


def test_a_rolling_upgrade_fails_no_request_behind_any_proxy(tmp_path: Path) -> None:
    """With the shipped units, settings file and proxy configurations."""
    ports = {documented: find_port() for documented in PORTS}
    with ExitStack() as stack:
        services = []
        for documented, port in ports.items():
            (tmp_path / documented).mkdir()
            folder = tmp_path / documented
            command = run_unit(folder, port, shlex.join(PROGRAM))
            database = f"sqlite:///{tmp_path}/plants.db"
            services.append(
                stack.enter_context(Service(folder, database=database, command=command))
            )
            metrics = httpx.get(f"http://127.0.0.1:{port + 1000}/metrics")
            assert "plantstore_build_info" in metrics.text
        token = services[0].make_token()
        origins = []
        for kind in CONFIGS:
            (tmp_path / kind).mkdir()
            origins.append(stack.enter_context(proxy(kind, tmp_path / kind, ports)))
        upgraded = copy_program(tmp_path)
        with calling(token, *origins) as callers:
            for service, (documented, port) in zip(services, ports.items(), strict=True):
                assert service.stop() == 0
                service.command = run_unit(tmp_path / documented, port, upgraded)
                service.start()
                wait_until_called(service, callers)
        for service in services:
            assert httpx.get(f"{service.origin}/livez").json()["version"] == "9.9.9"
        with services[0].client(token) as client:
            stored = {plant["id"] for plant in client.get("/plants?include=id").json()}
        assert stored == set[int]().union(*(caller.acknowledged for caller in callers))


def test_a_restart_with_socket_activation_fails_no_request(tmp_path: Path) -> None:
    """The test holds the socket, as systemd does with plantstore.socket."""
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener:
        start = f'exec 3<&{listener.fileno()}; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"'
        command = ("bash", "-c", start, "bash", *PROGRAM)  # sh has no descriptors over 9
        service = Service(tmp_path, command=command, settings={"lame_duck": 0.5})
        service.descriptors = [listener.fileno()]
        token = service.start().make_token()
        with calling(token, service.origin):
            assert service.stop() == 0
            service.start()
        assert service.stop() == 0
