"""A connection is opened to the host that takes writes, while others are silent."""

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

SECONDS = 30.0  # far more than it takes: a silent host that is waited for would fail the test


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port whose listener accepts connections and never answers."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        yield listener.getsockname()[1]


def make_url(*ports: int, name: str = "postgres") -> str:
    """A URL with these ports, on which a silent host that is waited for fails the test."""
    named = ",".join(f"127.0.0.1:{port}" for port in ports)
    return f"postgresql://postgres@{named}/{name}?connect_timeout=600"


def hosts(*ports: int) -> Hosts:
    return Hosts(make_url(*ports), prepares=True)


async def connected_port(found: Hosts, seconds: float = SECONDS) -> int:
    async with await found.connect(seconds) as connection:
        return connection.info.port


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (2, 0, 1), (0, 0, 2)])
async def test_hosts_that_are_silent_or_refuse_are_passed_over(
    postgres_server: PostgresServer, silent_port: int, order: tuple[int, ...]
) -> None:
    ports = (silent_port, free_port(), postgres_server.port)
    found = hosts(*(ports[number] for number in order))
    for _ in range(2):
        assert await connected_port(found) == postgres_server.port


async def test_a_host_that_comes_to_take_writes_meanwhile_is_found(
    postgres_server: PostgresServer, silent_port: int
) -> None:
    server, reload = postgres_server, "SELECT pg_reload_conf()"
    found = hosts(silent_port, server.port)
    server.execute("ALTER SYSTEM SET default_transaction_read_only = on", reload)
    try:
        with pytest.raises(psycopg.OperationalError) as raised:
            await found.connect(1)
        connecting = asyncio.ensure_future(connected_port(found))
        await asyncio.sleep(0.1)  # it is refused by then; if not, the test shows less
    finally:
        reset = "ALTER SYSTEM RESET default_transaction_read_only"
        await asyncio.to_thread(server.execute, reset, reload)
    assert await connecting == server.port
    assert f"127.0.0.1:{silent_port}: timeout" in str(raised.value)
    assert f"127.0.0.1:{server.port}: " in str(raised.value)
    assert "session is read-only" in str(raised.value)


def test_each_host_has_the_other_parameters_of_the_url() -> None:
    """Such as those of TLS: without them the server's certificate would not be verified."""
    named = {"sslmode": "verify-full", "sslrootcert": "ca.pem", "connect_timeout": "600"}
    found = Hosts(f"{make_url(1, 2)}&sslmode=verify-full&sslrootcert=ca.pem").conninfos
    assert len(found) == 2
    assert all(named.items() <= conninfo_to_dict(one).items() for one in found.values())


@pytest.mark.parametrize("workers", [1, 2])
def test_a_start_and_a_command_pass_over_a_silent_host(
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


def test_a_check_names_the_hosts_that_cannot_be_reached(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    port, closed = postgres_server.port, free_port()
    with postgres_server.fresh() as direct:
        name = direct.rpartition("/")[2]
        checking = Program(tmp_path, {"PLANTSTORE_DATABASE": make_url(port, closed, name=name)})
        assert f"cannot connect to 127.0.0.1:{closed}: " in checking.refusal("check")
        checking = Program(tmp_path, {"PLANTSTORE_DATABASE": make_url(port, port, name=name)})
        assert "hosts of the URL that can be reached: " in checking.out("check")
