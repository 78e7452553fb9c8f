"""An unavailable PostgreSQL: the service is not ready, waits, and serves once it is back."""

import secrets
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from plantstore.databases import migrate
from tests.cli.program import Program
from tests.faults.load import under_load, wait_until_acknowledged, wait_until_refused
from tests.postgres.proxied import proxied_service
from tests.postgres.server import PostgresServer
from tests.readiness import wait_for_readiness
from tests.service import Service
from tests.waiting import wait_until

NO_CONNECTION = "there is no connection to PostgreSQL: the log says why"
NOT_WRITTEN = 50302
# The service tries again at once, rather than each second.
AT_ONCE = {
    f"postgres.{name}": 0.1
    for name in ("readiness._INTERVAL", "database._RETRY_SECONDS", "hosts._ROUND_SECONDS")
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PostgresServer]:
    """A server of the test's own, which it may stop."""
    with PostgresServer(tmp_path / "postgres") as running:
        yield running


@contextmanager
def launched(
    folder: Path, url: str, workers: int = 1, token: str | None = None
) -> Iterator[Service]:
    """A service that listens, whether it is ready or not."""
    settings: dict[str, object] = {"workers": workers, **AT_ONCE}
    settings |= {} if token is None else {"token": token}
    service = Service(folder, database=url, settings=settings)
    service.launch()
    try:
        service.wait_for_origin()
        yield service
    finally:
        if service.process.poll() is None:
            service.stop()


def with_schema(server: PostgresServer) -> str:
    url = server.make_database()
    migrate(url)
    return url


@pytest.mark.parametrize("workers", [1, 2])
def test_a_service_starts_without_postgresql_and_serves_once_it_runs(
    server: PostgresServer, tmp_path: Path, workers: int
) -> None:
    url = with_schema(server)
    token = Service(tmp_path, database=url).make_token()
    server.stop()
    with launched(tmp_path, url, workers) as service, service.client(token) as client:
        assert wait_for_readiness(service, 503) == NO_CONNECTION
        assert client.get("/livez").status_code == 200
        assert client.get("/plants").json()["error"] == NOT_WRITTEN
        assert client.post("/plants", json={"id": 1, "name": "x"}).json()["error"] == NOT_WRITTEN
        server.start()
        assert wait_for_readiness(service, 200) == "ready"
        plant = {"id": 1, "name": "Fern"}  # another worker may still be waiting
        wait_until(lambda: client.post("/plants", json=plant).status_code == 200)
        assert service.stop() == 0


@pytest.mark.parametrize(
    ("missing", "create"),
    [
        ('database "later"', "ALTER DATABASE {database} RENAME TO later"),
        ('role "later"', "CREATE ROLE later SUPERUSER LOGIN"),
    ],
)
def test_a_refused_connection_is_logged_and_retried(
    server: PostgresServer, tmp_path: Path, missing: str, create: str
) -> None:
    database = with_schema(server).rpartition("/")[2]
    url = server.url("later") if "database" in missing else server.url(database, user="later")
    refusal = f"{missing} does not exist"
    with launched(tmp_path, url) as service:
        assert wait_for_readiness(service, 503) == NO_CONNECTION
        hint = "waiting for the database (check the setting database)"
        assert f"{hint}: 127.0.0.1:{server.port}: " in service.log()
        assert refusal in service.log()
        message = Program(tmp_path, {"PLANTSTORE_DATABASE": url}).refusal("token", "list")
        assert "cannot use the database: " in message
        assert refusal in message
        server.execute(create.format(database=database))
        assert wait_for_readiness(service, 200) == "ready"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_missing_schema_ends_the_service_once_postgresql_runs(
    server: PostgresServer, tmp_path: Path, workers: int
) -> None:
    url = server.make_database()  # without tables
    server.stop()
    with launched(tmp_path, url, workers) as service:
        wait_for_readiness(service, 503)
        server.start()
        assert service.process.wait(30) == 1
    assert "stopping the service: the database has no tables yet: run `plantstore migrate`" in (
        service.log()
    )
    assert "Traceback" not in service.log()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_stopped_postgresql_is_reported_without_flooding_the_log(
    server: PostgresServer, tmp_path: Path, workers: int
) -> None:
    settings = {"workers": workers}
    with Service(tmp_path, database=with_schema(server), settings=settings) as service:
        with under_load(service, service.make_token()) as load_clients:
            wait_until_acknowledged(load_clients, 20)
            server.stop()
            wait_until_refused(load_clients, 100)
            assert wait_for_readiness(service, 503) == NO_CONNECTION
            server.start()
            wait_until_acknowledged(load_clients, 20)
            assert wait_for_readiness(service, 200) == "ready"
            while "PostgreSQL works again after" not in service.log():
                wait_until_acknowledged(load_clients, 1)
        refused = sum(len(load_client.refusals) for load_client in load_clients)
        lines = [line for line in service.log().splitlines() if "ERROR" in line or "503" in line]
        assert len(lines) < refused / 10
        assert "more suppressed" in service.log()
        assert 1 <= service.log().count("PostgreSQL works again") <= workers


def test_an_idle_service_is_not_ready_on_a_read_only_postgresql(
    server: PostgresServer, tmp_path: Path
) -> None:
    with Service(tmp_path, database=with_schema(server), settings=AT_ONCE) as service:
        reload = "SELECT pg_reload_conf()"
        server.execute("ALTER SYSTEM SET default_transaction_read_only = on", reload)
        message = wait_for_readiness(service, 503)
        assert message == "PostgreSQL cannot be written: it is read-only"
        server.execute("ALTER SYSTEM RESET default_transaction_read_only", reload)
        assert wait_for_readiness(service, 200) == "ready"


def test_the_password_of_the_url_is_not_logged(tmp_path: Path) -> None:
    url = "postgresql://someone:secret@localhost:1/hidden"
    with launched(tmp_path, url) as service:
        assert wait_for_readiness(service, 503) == NO_CONNECTION
        assert "secret" not in service.log()


@pytest.mark.parametrize(("workers", "is_declared"), [(1, False), (2, True)])
def test_repeated_connection_failures_are_logged_once(
    tmp_path: Path, workers: int, *, is_declared: bool
) -> None:
    token = secrets.token_hex(32) if is_declared else None
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        url = f"postgresql://someone@127.0.0.1:{listener.getsockname()[1]}/plants?sslmode=disable"
        listener.settimeout(30)
        with launched(tmp_path, url, workers, token) as service:
            for _ in range(10 * workers):
                listener.accept()[0].close()
            assert service.log().count("cannot declare the token") == is_declared
            assert 1 <= service.log().count("waiting for the database") <= workers


def test_an_idle_service_is_not_ready_on_a_silent_postgresql(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    with proxied_service(postgres_server, tmp_path) as proxied:
        with proxied.proxy.silent():
            message = wait_for_readiness(proxied.service, 503)
            assert message == "PostgreSQL does not respond in time"
        assert wait_for_readiness(proxied.service, 200) == "ready"
