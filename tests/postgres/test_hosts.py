"""A connection is opened to the writable host, also while other hosts are silent."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from plantstore.postgres.hosts import Hosts
from tests.cli.program import Program
from tests.postgres.server import PostgresServer, free_port
from tests.service import Service

pytestmark = pytest.mark.anyio

SECONDS = 30.0  # far more than needed: waiting for a silent host would fail the test


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port whose listener accepts connections and never responds."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        yield listener.getsockname()[1]


def make_url(*ports: int, name: str = "postgres") -> str:
    """A URL with these ports, whose long timeout fails a test that waits for a silent host."""
    parameters = ",".join(f"127.0.0.1:{port}" for port in ports)
    return f"postgresql://postgres@{parameters}/{name}?connect_timeout=600"


def make_hosts(*ports: int) -> Hosts:
    return Hosts(make_url(*ports), prepares=True)


async def connected_port(hosts: Hosts, seconds: float = SECONDS) -> int:
    async with await hosts.connect(seconds) as connection:
        return connection.info.port


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (2, 0, 1), (0, 0, 2)])
async def test_silent_and_closed_hosts_are_skipped(
    postgres_server: PostgresServer, silent_port: int, order: tuple[int, ...]
) -> None:
    ports = (silent_port, free_port(), postgres_server.port)
    hosts = make_hosts(*(ports[number] for number in order))
    for _ in range(2):
        assert await connected_port(hosts) == postgres_server.port


async def test_a_host_that_becomes_writable_is_found(
    postgres_server: PostgresServer, silent_port: int
) -> None:
    server, reload = postgres_server, "SELECT pg_reload_conf()"
    hosts = make_hosts(silent_port, server.port)
    server.execute("ALTER SYSTEM SET default_transaction_read_only = on", reload)
    try:
        with pytest.raises(psycopg.OperationalError) as raised:
            await hosts.connect(1)
        connecting = asyncio.ensure_future(connected_port(hosts))
        await asyncio.sleep(0.1)  # it is refused by then; if not, the test shows less
    finally:
        reset = "ALTER SYSTEM RESET default_transaction_read_only"
        await asyncio.to_thread(server.execute, reset, reload)
    assert await connecting == server.port
    assert f"127.0.0.1:{silent_port}: timeout" in str(raised.value)
    assert f"127.0.0.1:{server.port}: " in str(raised.value)
    assert "session is read-only" in str(raised.value)


def test_each_host_has_the_other_parameters_of_the_url() -> None:
    """Without those of TLS, for example, the server's certificate would not be verified."""
    parameters = {"sslmode": "verify-full", "sslrootcert": "ca.pem", "connect_timeout": "600"}
    hosts = Hosts(f"{make_url(1, 2)}&sslmode=verify-full&sslrootcert=ca.pem").conninfos
    assert len(hosts) == 2
    assert all(
        parameters.items() <= conninfo_to_dict(conninfo).items() for conninfo in hosts.values()
    )


@pytest.mark.parametrize("workers", [1, 2])
def test_serve_and_commands_skip_a_silent_host(
    postgres_server: PostgresServer, tmp_path: Path, silent_port: int, workers: int
) -> None:
    with postgres_server.fresh() as direct:
        url = make_url(silent_port, postgres_server.port, name=direct.rpartition("/")[2])
        assert Program(tmp_path, {"PLANTSTORE_DATABASE": url}).run("token", "list").status == 0
        settings = {"workers": workers, "database_timeout": SECONDS}
        with Service(tmp_path, database=url, settings=settings) as service:
            assert service.stop() == 0
        assert "waiting for the database" not in service.log()
        silent = f"127.0.0.1:{silent_port}: timeout"
        assert f"connected to 127.0.0.1:{postgres_server.port}; {silent}" in service.log()


def test_check_names_unreachable_hosts(postgres_server: PostgresServer, tmp_path: Path) -> None:
    port, closed = postgres_server.port, free_port()
    with postgres_server.fresh() as direct:
        name = direct.rpartition("/")[2]
        checking = Program(tmp_path, {"PLANTSTORE_DATABASE": make_url(port, closed, name=name)})
        assert f"cannot connect to 127.0.0.1:{closed}: " in checking.refusal("check")
        checking = Program(tmp_path, {"PLANTSTORE_DATABASE": make_url(port, port, name=name)})
        assert "hosts of the URL that can be reached: " in checking.out("check")
