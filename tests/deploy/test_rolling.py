"""Services that are restarted one after the other, behind a proxy: no request fails."""

import re
import shlex
import shutil
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx

import plantstore
from tests.cli.program import clean_environ
from tests.deploy.proxies import CONFIGS, PORTS, proxy
from tests.faults.two_processes import process_of
from tests.postgres.server import free_port
from tests.service import Service
from tests.waiting import wait_until

_PAUSE_SECONDS = 0.05  # of a caller; the machine has other things to do than their requests
DEPLOY = Path(__file__).parents[2] / "deploy"
PROGRAM = (sys.executable, "-m", "plantstore")


class Caller(threading.Thread):
    """Creates plants, lists them and deletes every third; ``answers`` counts what it got."""

    def __init__(self, origin: str, token: str, number: int) -> None:
        super().__init__(daemon=True)
        self.answers: Counter[str] = Counter()
        self.kept: set[int] = set()
        self.processes: set[str] = set()  # that answered
        self._origin, self._token = origin, token
        self._first = number * 1_000_000
        self._stopping = threading.Event()

    def run(self) -> None:
        headers = {"Authorization": f"Bearer {self._token}"}
        with httpx.Client(
            base_url=self._origin, headers=headers, timeout=60, verify=False
        ) as client:
            plant_id = self._first
            while not self._stopping.wait(_PAUSE_SECONDS):
                plant_id += 1
                self._call(client, plant_id)

    def stop(self) -> None:
        self._stopping.set()
        self.join(60)
        assert not self.is_alive()

    def _call(self, client: httpx.Client, plant_id: int) -> None:
        key = {"Idempotency-Key": f"key-{plant_id}"}
        create = client.build_request(
            "POST", "/plants", json={"id": plant_id, "name": "Fern"}, headers=key
        )
        if self._send(client, create):
            self.kept.add(plant_id)
        self._send(client, client.build_request("GET", "/plants?limit=10&include=id"))
        if plant_id % 3 == 0:
            self._send(client, client.build_request("DELETE", f"/plants/{plant_id}"))
            self.kept.discard(plant_id)

    def _send(self, client: httpx.Client, request: httpx.Request) -> bool:
        try:
            response = client.send(request)
        except httpx.TransportError as error:
            self.answers[f"{request.method} {type(error).__name__}"] += 1
            return False
        expected = 204 if request.method == "DELETE" else 200
        outcome = "good" if response.status_code == expected else str(response.status_code)
        self.answers[f"{request.method} {outcome}"] += 1
        self.processes.add(process_of(response))
        return response.is_success


@contextmanager
def calling(token: str, *origins: str) -> Iterator[list[Caller]]:
    """Two callers of each, that go on until the end of the block; their every request succeeds."""
    callers = [Caller(origin, token, number) for number, origin in enumerate(origins * 2)]
    for caller in callers:
        caller.start()
    try:
        yield callers
    finally:
        for caller in callers:
            caller.stop()
    total = sum((caller.answers for caller in callers), Counter[str]())
    assert set(total) == {"POST good", "GET good", "DELETE good"}, total


def copy_program(folder: Path) -> tuple[str, ...]:
    """The command of another version of the program, as in another venv."""
    package = folder / "next" / "plantstore"
    shutil.copytree(Path(plantstore.__file__).parent, package)
    (package / "built" / "version.txt").write_text("9.9.9")
    return ("env", f"PYTHONPATH={package.parent}", *PROGRAM)


class InstanceService(Service):
    """An instance of plantstore@.service with the shipped settings file, with folders of a test."""

    def __init__(self, folder: Path, port: int) -> None:
        super().__init__(folder, database=f"sqlite:///{folder.parent}/plants.db", command=PROGRAM)
        settings = folder / "plantstore.toml"
        shipped = (DEPLOY / "plantstore.toml").read_text()
        settings.write_text(shipped.replace("/var/lib/plantstore", str(folder.parent)))
        unit = (DEPLOY / "systemd" / "plantstore@.service").read_text()
        unit = unit.replace("/etc/plantstore/plantstore.toml", str(settings))
        (line,) = re.findall("^ExecStart=/opt/plantstore/bin/plantstore (.+)$", unit, re.MULTILINE)
        (environ,) = re.findall("^Environment=(.+)$", unit, re.MULTILINE)
        self.metrics = f"http://127.0.0.1:{port + 1000}/metrics"
        self._words = shlex.split(line.replace("%i", str(port)))
        self._environ = clean_environ(folder) | dict(
            setting.split("=") for setting in shlex.split(environ)
        )

    def launch(self) -> None:
        with self.log_path.open("ab") as log:
            command = [*self.command, *self._words]
            self.process = subprocess.Popen(command, env=self._environ, stdout=log, stderr=log)


def find_port() -> int:
    while True:
        port = free_port()
        with suppress(OSError), socket.create_server(("127.0.0.1", port + 1000)):
            return port


def read_version(service: Service) -> str:
    return str(httpx.get(f"{service.origin}/livez").json()["version"])


def wait_until_called(service: Service, callers: list[Caller]) -> None:
    """Wait until the proxies send requests to it again, for which the document's script sleeps."""
    process = process_of(httpx.get(f"{service.origin}/livez"))
    wait_until(lambda: all(process in caller.processes for caller in callers))


def test_an_upgrade_fails_no_request_whatever_the_proxy(tmp_path: Path) -> None:
    """The units, the settings file and the proxies' configurations are what is shipped."""
    ports = {documented: find_port() for documented in PORTS}
    with ExitStack() as stack:
        services = []
        for documented, port in ports.items():
            (tmp_path / documented).mkdir()
            service = InstanceService(tmp_path / documented, port)
            services.append(stack.enter_context(service))
            assert "plantstore_build_info" in httpx.get(service.metrics).text
        token = services[0].make_token()
        origins = []
        for kind in CONFIGS:
            (tmp_path / kind).mkdir()
            origins.append(stack.enter_context(proxy(kind, tmp_path / kind, ports)))
        upgraded = copy_program(tmp_path)
        with calling(token, *origins) as callers:
            for service in services:
                assert service.stop() == 0
                service.command = upgraded
                service.start()
                wait_until_called(service, callers)
        assert [read_version(service) for service in services] == ["9.9.9", "9.9.9"]
        with services[0].client(token) as client:
            stored = {plant["id"] for plant in client.get("/plants?include=id").json()}
        assert stored == set[int]().union(*(caller.kept for caller in callers))


def test_one_service_on_a_socket_that_is_held_for_it_fails_no_request(tmp_path: Path) -> None:
    """As systemd does with plantstore.socket."""
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as held:
        held.set_inheritable(True)
        start = f'exec 3<&{held.fileno()}; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"'
        command = ("bash", "-c", start, "bash", *PROGRAM)  # sh has no descriptors over 9
        service = HeldService(tmp_path, command=command, descriptor=held.fileno())
        token = service.start().make_token()
        with calling(token, service.origin):
            assert service.stop() == 0
            service.start()
        assert service.stop() == 0


class HeldService(Service):
    """A service that gets a descriptor of ours."""

    def __init__(self, folder: Path, *, command: tuple[str, ...], descriptor: int) -> None:
        super().__init__(folder, command=command, settings={"lame_duck": 0.5})
        self._descriptor = descriptor

    def launch(self) -> None:
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                [*self.command, "serve"],
                env=self._environ,
                stdout=log,
                stderr=log,
                pass_fds=[self._descriptor],
            )
