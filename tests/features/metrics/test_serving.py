"""Metrics are served at the address of the setting, and not at all without the setting."""

import socket
import sys
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.cli.program import NEEDS_IPV6, Program
from tests.features.metrics.scraping import address_of, metered, scrape
from tests.service import Service
from tests.waiting import wait_until

SHOWS_IMPORTS = (sys.executable, "-X", "importtime", "-m", "plantstore")
CANNOT_COUNT = """
import prometheus_client
from plantstore.program import main
prometheus_client.Histogram.observe = lambda histogram, seconds: 1 / 0
main()
"""


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_metrics_library_is_imported_only_with_metrics(tmp_path: Path, workers: int) -> None:
    for metrics, imported in (("", False), ("127.0.0.1:0", True)):
        folder = tmp_path / f"on-{imported}"
        folder.mkdir()
        settings = {"metrics": metrics, "workers": workers}
        with Service(folder, settings=settings, command=SHOWS_IMPORTS) as service:
            assert httpx.get(f"{service.origin}/metrics").status_code == 404
        assert ("prometheus_client" in service.log()) is imported
        assert ("plantstore.features.metrics" in service.log()) is imported


def test_requests_and_writes_succeed_though_they_cannot_be_counted(tmp_path: Path) -> None:
    command = (sys.executable, "-c", CANNOT_COUNT)
    settings = {"metrics": "127.0.0.1:0"}
    with Service(tmp_path, settings=settings, command=command) as service:
        with service.client(service.make_token()) as client:
            assert client.post("/plants", json={"id": 1, "name": "Fern"}).status_code == 200
            assert client.get("/plants").json() == [{"name": "Fern"}]
        assert "an observer failed: measure.<locals>.observe_commit" in service.log()


@NEEDS_IPV6
def test_metrics_are_served_at_an_ipv6_address(tmp_path: Path) -> None:
    with metered(tmp_path, metrics="[::1]:0") as service:
        assert "metrics at http://[::1]:" in service.log()
        assert scrape(service).value("build_info", database="sqlite") == 1


def test_an_address_in_use_is_refused(program: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        message = program.refusal("serve", "--port", "0", "--metrics", address)
    assert f"cannot serve metrics on {address}: Address already in use" in message
    assert "choose another --metrics" in message


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("192.0.2.1:9464", "cannot serve metrics on 192.0.2.1:9464: "),
        ("a..b:9464", "cannot serve metrics on a..b:9464: "),
        ("127.0.0.1:99999", "cannot serve metrics on 127.0.0.1:99999: "),
        ("::1:9464", "metrics is '::1:9464', but must be an address"),
        ("127.0.0.1:", "metrics is '127.0.0.1:', but must be an address"),
    ],
)
def test_an_invalid_address_is_refused(program: Program, address: str, reason: str) -> None:
    status = 2 if "must be" in reason else 1
    assert reason in program.refusal("serve", "--port", "0", "--metrics", address, status=status)


def test_incomplete_requests_are_limited_and_time_out(tmp_path: Path) -> None:
    timeout = {"features.metrics.exporter._TIMEOUT": 3}
    with metered(tmp_path, **timeout) as service, ExitStack() as stack:
        threads = Path(f"/proc/{service.process.pid}/task")
        before = len(list(threads.iterdir()))
        url = urlsplit(address_of(service))
        address = url.hostname, url.port
        connections = [stack.enter_context(socket.create_connection(address)) for _ in range(24)]
        for connection in connections:
            connection.sendall(b"GET /metrics HTTP/1.1\r\n")
        assert scrape(service).value("build_info", database="sqlite") == 1
        assert len(list(threads.iterdir())) <= before + 16
        for connection in connections:  # the newest have a timeout
            connection.settimeout(60)
            assert connection.recv(1) == b""
        wait_until(lambda: len(list(threads.iterdir())) <= before)
        assert "Traceback" not in service.log()
