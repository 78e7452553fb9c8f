"""Failover: the service finds the writable server of two, also after it changes.

The standby commits before a write is acknowledged, so that none is lost when it takes over.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path

import pytest
from msgspec import Struct

from plantstore.databases import migrate
from tests.faults.load import LoadClient, assert_consistent, under_load, wait_until_acknowledged
from tests.postgres.server import PostgresServer
from tests.service import Service
from tests.waiting import wait_until

NOT_WRITTEN, UNKNOWN = 50302, 50303
RELOAD = "SELECT pg_reload_conf()"
End = Callable[[PostgresServer], AbstractContextManager[None]]


def fenced(server: PostgresServer) -> AbstractContextManager[None]:
    server.execute("ALTER SYSTEM SET default_transaction_read_only = on", RELOAD)
    return nullcontext()


def killed(server: PostgresServer) -> AbstractContextManager[None]:
    server.kill()
    return nullcontext()


# A read-only server is skipped, wherever it is in the list.
ENDS = pytest.mark.parametrize(
    ("end", "is_first"), [(fenced, True), (killed, False), (PostgresServer.frozen, True)]
)


class Failover(Struct, frozen=True):
    """A service, a token and the primary; ``run`` fails over to the standby under load."""

    service: Service
    token: str
    primary: PostgresServer
    run: Callable[[], list[LoadClient]]


@contextmanager
def failover(folder: Path, end: End, *, is_first: bool) -> Iterator[Failover]:
    """A service on a primary that waits for its standby at each commit."""
    with PostgresServer(folder / "primary") as primary, ExitStack() as stack:
        url = primary.make_database()
        migrate(url)
        standby = stack.enter_context(PostgresServer(folder / "standby", primary=primary))
        primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'", RELOAD)
        ports = [primary.port, standby.port] if is_first else [standby.port, primary.port]
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        both = f"postgresql://postgres@{hosts}/{url.rpartition('/')[2]}"
        settings = {"database_timeout": 1}
        service = stack.enter_context(Service(folder, database=both, settings=settings))
        token = service.make_token()

        def run() -> list[LoadClient]:
            with under_load(service, token) as load_clients:
                wait_until_acknowledged(load_clients, 20)
                stack.enter_context(end(primary))
                wait_until(lambda: all(NOT_WRITTEN in client.refusals for client in load_clients))
                standby.execute("SELECT pg_promote()")
                wait_until_acknowledged(load_clients, 20)
            return load_clients

        yield Failover(service, token, primary, run)
        assert "Traceback" not in service.log()


@ENDS
def test_the_service_follows_the_writable_server(
    tmp_path: Path, end: End, *, is_first: bool
) -> None:
    with failover(tmp_path, end, is_first=is_first) as moved:
        load_clients = moved.run()
        assert_consistent(moved.service, "nursery", load_clients)
        refusals = {error for client in load_clients for error in client.refusals}
        assert refusals <= {NOT_WRITTEN, UNKNOWN}
        assert end is not fenced or refusals == {NOT_WRITTEN}
        if end is PostgresServer.frozen:
            assert f"127.0.0.1:{moved.primary.port}: timeout" in moved.service.log()
