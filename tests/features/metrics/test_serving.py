"""Where metrics are served: on the address that the setting has, and nowhere without it."""

import socket
import sys
from pathlib import Path

import httpx
import pytest

from tests.cli.program import NEEDS_IPV6, Program
from tests.features.metrics.scraping import metered, scrape
from tests.service import Service

SHOWS_IMPORTS = (sys.executable, "-X", "importtime", "-m", "plantstore")


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The program with a database that nobody has used."""
    return Program(tmp_path)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_client_library_is_imported_only_where_metrics_are_on(
    tmp_path: Path, workers: int
) -> None:
    for metrics, imported in (("", False), ("127.0.0.1:0", True)):
        folder = tmp_path / f"on-{imported}"
        folder.mkdir()
        settings = {"metrics": metrics, "workers": workers}
        with Service(folder, settings=settings, command=SHOWS_IMPORTS) as service:
            assert httpx.get(f"{service.origin}/metrics").status_code == 404
        assert ("prometheus_client" in service.log()) is imported
        assert ("plantstore.features.metrics" in service.log()) is imported


@NEEDS_IPV6
def test_an_ipv6_address_serves_them_too(tmp_path: Path) -> None:
    with metered(tmp_path, metrics="[::1]:0") as service:
        assert "metrics at http://[::1]:" in service.log()
        assert scrape(service).value("build_info", database="sqlite") == 1


def test_an_address_in_use_is_refused(program: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        said = program.refusal("serve", "--port", "0", "--metrics", address)
    assert f"cannot serve metrics on {address}: Address already in use" in said
    assert "choose another --metrics" in said


@pytest.mark.parametrize(
    "address", ["192.0.2.1:9464", "nowhere.invalid:9464", "a..b:9464", "127.0.0.1:99999"]
)
def test_an_address_that_is_not_ours_is_refused(program: Program, address: str) -> None:
    said = program.refusal("serve", "--port", "0", "--metrics", address)
    assert f"cannot serve metrics on {address}: " in said


@pytest.mark.parametrize("address", ["9464", "::1:9464", "127.0.0.1:", "127.0.0.1:http"])
def test_what_is_no_address_is_refused(program: Program, address: str) -> None:
    said = program.refusal("serve", "--port", "0", "--metrics", address)
    assert f"metrics is '{address}', but must be an address" in said
