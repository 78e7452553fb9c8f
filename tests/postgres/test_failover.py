"""A database of two servers, of which one takes writes: the service finds it, also when it moves.

The standby commits before a write is acknowledged, so that none is lost when it takes over.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from msgspec import Struct

from plantstore.databases import migrate
from tests.faults.load import (
    LoadClient,
    assert_whole,
    body,
    under_load,
    wait_until_acknowledged,
    wait_until_refused,
)
from tests.postgres.proxied import error_of
from tests.postgres.server import PostgresServer, free_port
from tests.service import Service
from tests.waiting import wait_until

NOT_WRITTEN = 50302
RELOAD = "SELECT pg_reload_conf()"


class Servers(Struct, frozen=True):
    """A primary, its standby, and the URL of a database that names them in this order."""

    primary: PostgresServer
    standby: PostgresServer
    url: str


def both(first_port: int, second_port: int, url: str) -> str:
    """The URL with these two servers."""
    name = url.rpartition("/")[2]
    return f"postgresql://postgres@127.0.0.1:{first_port},127.0.0.1:{second_port}/{name}"


@contextmanager
def servers(folder: Path) -> Iterator[Servers]:
    """A primary with a fresh database, whose commits wait for its standby."""
    with PostgresServer(folder / "primary") as primary:
        url = primary.make_database()
        migrate(url, dry_run=False)
        with PostgresServer(folder / "standby", primary=primary) as standby:
            primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'", RELOAD)
            yield Servers(primary, standby, both(primary.port, standby.port, url))


def fence(server: PostgresServer) -> None:
    """Let the server take no more writes."""
    server.execute("ALTER SYSTEM SET default_transaction_read_only = on", RELOAD)


def unfence(server: PostgresServer) -> None:
    """Let it take writes again."""
    server.execute("ALTER SYSTEM RESET default_transaction_read_only", RELOAD)


def wait_for_write(service: Service, token: str, plant_id: int, *wanted: int) -> None:
    """Create a plant, again and again, until the answer is a wanted one: an error, or 0."""
    with service.client(token) as client:

        def is_wanted() -> bool:
            error = error_of(client.post("/plants", json=body(plant_id)))
            assert error in {0, 40004, NOT_WRITTEN, 50303}
            return error in wanted

        wait_until(is_wanted)


def assert_served(folder: Path, database: str) -> None:
    """Fail unless a service on this database takes writes and lists them."""
    with Service(folder, database=database) as service:
        token = service.make_token()
        with service.client(token) as client:
            assert client.post("/plants", json=body(1)).status_code == 200
            assert client.get("/plants?include=id").json() == [body(1)]


def test_a_server_that_is_down_is_passed_over(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    with postgres_server.fresh() as url:
        database = both(free_port(), postgres_server.port, url)
        assert_served(tmp_path, database)


def test_writes_stop_at_a_fenced_server_and_go_on_when_it_is_not(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    with postgres_server.fresh() as url, Service(tmp_path, database=url) as service:
        token = service.make_token()
        with under_load(service, token) as load_clients:
            wait_until_acknowledged(load_clients, 20)
            fence(postgres_server)
            try:
                wait_for_write(service, token, 1, NOT_WRITTEN)
                events = len(fenced_events(postgres_server, url))
                wait_until_refused(load_clients, 10)
                assert len(fenced_events(postgres_server, url)) == events
            finally:
                unfence(postgres_server)
            wait_for_write(service, token, 1, 0, 40004)
            wait_until_acknowledged(load_clients, 20)
        assert {error for one in load_clients for error in one.refusals} == {NOT_WRITTEN}
        assert service.process.poll() is None
        load_clients[0].acknowledged.add(1)
        assert_whole(service, "nursery", load_clients)


def fenced_events(server: PostgresServer, url: str) -> list[tuple[object, ...]]:
    """The revisions of all events, from a server that need not take writes."""
    return server.execute("SELECT revision FROM events", database=url.rpartition("/")[2])


ENDS = pytest.mark.parametrize("end", ["fenced", "killed", "frozen"])


def serve_on(found: Servers, end: str, folder: Path) -> Service:
    """A service on both servers, of which the primary will have this end."""
    ports = [found.primary.port, found.standby.port]
    # A server that takes no writes is passed over, wherever it stands.
    first, second = reversed(ports) if end == "killed" else ports
    return Service(folder, database=both(first, second, found.url))


def fail_over(
    found: Servers, end: str, service: Service, token: str, stack: ExitStack
) -> list[LoadClient]:
    """Under load, have the primary end so, and the standby take over."""
    with under_load(service, token) as load_clients:
        wait_until_acknowledged(load_clients, 20)
        if end == "fenced":
            fence(found.primary)
        elif end == "killed":
            found.primary.kill()
        else:
            stack.enter_context(found.primary.frozen())
        wait_until(lambda: all(NOT_WRITTEN in one.refusals for one in load_clients))
        found.standby.execute("SELECT pg_promote()")
        wait_until_acknowledged(load_clients, 20)
    return load_clients


@ENDS
def test_the_service_follows_the_writable_server(tmp_path: Path, end: str) -> None:
    with servers(tmp_path) as found, ExitStack() as stack:
        service = stack.enter_context(serve_on(found, end, tmp_path))
        load_clients = fail_over(found, end, service, service.make_token(), stack)
        assert_whole(service, "nursery", load_clients)
        refusals = {error for one in load_clients for error in one.refusals}
        assert refusals <= {NOT_WRITTEN, 50303}
        assert end != "fenced" or refusals == {NOT_WRITTEN}
        if end == "frozen":
            assert f"127.0.0.1:{found.primary.port}: timeout" in service.log()
        assert "Traceback" not in service.log()
