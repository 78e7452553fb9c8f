"""Unix sockets, sockets passed by systemd, and notifications to the supervisor."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.certificates import make_certificate
from tests.cli.program import NEEDS_IPV6, Program
from tests.postgres.server import free_port
from tests.service import START_SECONDS, Service
from tests.waiting import wait_until

SOCKET = "s"  # in a test's folder
EXPOSED = [  # the host, whether there is TLS, whether there is a warning
    ("0.0.0.0", False, True),  # noqa: S104 - what the warning is about
    ("0.0.0.0", True, False),  # noqa: S104
    ("127.0.0.2", False, False),
    pytest.param("::", False, True, marks=NEEDS_IPV6),
    pytest.param("::1", False, False, marks=NEEDS_IPV6),
]


def unix_client(path: Path, token: str | None = None) -> httpx.Client:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    transport = httpx.HTTPTransport(uds=str(path))
    # A supervisor's socket accepts connections before the service has started.
    return httpx.Client(
        base_url="http://service", headers=headers, transport=transport, timeout=START_SECONDS
    )


def responds(path: Path) -> bool:
    with closing(socket.socket(socket.AF_UNIX)) as probe:
        if probe.connect_ex(str(path)) != 0:
            return False
    with unix_client(path) as client:
        return client.get("/readyz").is_success


@contextmanager
def unix_service(folder: Path, **settings: object) -> Iterator[Service]:
    service = Service(folder, settings={"uds": folder / SOCKET, **settings})
    service.launch()
    try:
        wait_until(lambda: responds(folder / SOCKET))
        yield service
    finally:
        assert service.stop() == 0
    assert "Traceback" not in service.log()


@pytest.mark.parametrize(
    ("mode", "settings"), [(0o660, {"workers": 1}), (0o600, {"workers": 2, "uds_mode": "600"})]
)
def test_the_operations_work_over_a_unix_socket(
    tmp_path: Path, mode: int, settings: dict[str, object]
) -> None:
    path = tmp_path / SOCKET
    settings = {**settings, "access_log": True, "trusted_proxies": "unix"}
    with unix_service(tmp_path, **settings) as service:
        assert path.stat().st_mode & 0o777 == mode
        with unix_client(path, service.make_token()) as client:
            for plant_id in range(30):
                plant = {"id": plant_id, "name": "Ficus"}
                assert client.post("/plants", json=plant).is_success
            assert len(client.get("/plants").json()) == 30
            assert client.delete("/plants/1").status_code == 204
            client.get("/livez", headers={"X-Forwarded-For": "192.0.2.7"})
    assert f"on unix:{path}" in service.log()
    assert "address=unix " in service.log()
    assert "address=192.0.2.7" in service.log()
    assert not path.exists()


def test_a_stale_socket_is_replaced_but_not_a_used_one_or_a_file(tmp_path: Path) -> None:
    with unix_service(tmp_path) as service:
        service.kill()
        assert (tmp_path / SOCKET).exists()
        service.launch()
        wait_until(lambda: responds(tmp_path / SOCKET))
        message = Program(tmp_path).refusal("serve", "--uds", str(tmp_path / SOCKET))
        assert "another process listens there; choose another --uds" in message
        assert responds(tmp_path / SOCKET)
    letter = tmp_path / "letter"
    letter.write_text("Dear Ada")
    assert "not a socket" in Program(tmp_path).refusal("serve", "--uds", str(letter))
    assert letter.read_text() == "Dear Ada"


def test_a_stopping_service_does_not_remove_its_successors_socket(tmp_path: Path) -> None:
    path = tmp_path / SOCKET
    with unix_service(tmp_path) as service:
        path.unlink()
        with unix_service(tmp_path):
            assert service.stop() == 0
            assert responds(path)
        service.launch()
        wait_until(lambda: responds(path))


@pytest.mark.parametrize("workers", ["1", "2"])
def test_sockets_passed_by_systemd_are_served(tmp_path: Path, workers: str) -> None:
    path, port = tmp_path / SOCKET, free_port()
    activate = ("systemd-socket-activate", "-l", f"127.0.0.1:{port}", "-l", str(path))
    database = f"PLANTSTORE_DATABASE=sqlite:///{tmp_path}/plants.db"
    serve = ("env", database, sys.executable, "-m", "plantstore", "serve", "--workers", workers)
    with subprocess.Popen([*activate, *serve]) as process:
        try:
            wait_until(path.exists)
            wait_until(lambda: responds(path))
            response = httpx.get(f"http://127.0.0.1:{port}/livez")
            assert response.is_success
        finally:
            process.terminate()
        assert process.wait(30) == 0
    assert path.exists()  # it belongs to the supervisor


def receive_message(supervisor: socket.socket) -> str:
    """The next message other than ``WATCHDOG=1``."""
    while (message := supervisor.recv(1000).decode()) == "WATCHDOG=1":
        pass
    return message


@pytest.mark.parametrize("workers", [1, 2])
def test_the_supervisor_is_notified_of_readiness_reloads_and_stops(
    tmp_path: Path, workers: int
) -> None:
    environ = (f"NOTIFY_SOCKET={tmp_path}/notify", "WATCHDOG_USEC=2000000")
    command = ("env", *environ, sys.executable, "-m", "plantstore")
    service = Service(tmp_path, settings={"workers": workers}, command=command)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(str(tmp_path / "notify"))
        supervisor.settimeout(60)
        service.launch()
        assert receive_message(supervisor) == "READY=1"
        service.wait_for_origin()
        assert httpx.get(f"{service.origin}/readyz").is_success  # at once
        while supervisor.recv(1000) != b"WATCHDOG=1":
            pass
        os.kill(service.process.pid, signal.SIGHUP)
        assert receive_message(supervisor).startswith("RELOADING=1\nMONOTONIC_USEC=")
        assert receive_message(supervisor) == "READY=1"
        assert service.stop() == 0
        assert receive_message(supervisor) == "STOPPING=1"


@pytest.mark.parametrize(("host", "tls", "warns"), EXPOSED)
def test_the_log_names_the_address_and_warns_of_unencrypted_tokens(
    tmp_path: Path, host: str, *, tls: bool, warns: bool
) -> None:
    settings: dict[str, object] = {"host": host}
    if tls:
        make_certificate(tmp_path, "cert")
        settings |= {"tls_cert": tmp_path / "cert.pem", "tls_key": tmp_path / "cert.key"}
    with Service(tmp_path, settings=settings) as service:
        shown_host = f"[{host}]" if ":" in host else host
        assert service.origin.startswith(f"{'https' if tls else 'http'}://{shown_host}:")
        assert ("tokens cross the network unencrypted" in service.log()) is warns
