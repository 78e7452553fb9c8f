"""Two processes that act as one service, on each kind of database, and a client of each."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
from msgspec import Struct

from tests.postgres.server import PostgresServer
from tests.service import Service

Clients = tuple[httpx.Client, httpx.Client]


class TwoProcesses(Struct, frozen=True):
    """The services that the processes belong to: one with two workers, or two."""

    services: tuple[Service, ...]

    @property
    def service(self) -> Service:
        """The first service, for calls that may use either process."""
        return self.services[0]

    @contextmanager
    def clients(self, token: str | None) -> Iterator[Clients]:
        """Two clients, each connected to a different process."""
        with ExitStack() as stack:
            by_process: dict[str, httpx.Client] = {}
            deadline = time.monotonic() + 60
            while len(by_process) < 2:
                assert time.monotonic() < deadline
                for service in self.services:
                    client = stack.enter_context(service.client(token))
                    by_process.setdefault(process_of(client.get("/livez")), client)
            first, second = by_process.values()
            yield first, second


def process_of(response: httpx.Response) -> str:
    """The process that responded: its request ids have the same prefix."""
    return str(response.headers["x-request-id"]).split("-")[0]


@contextmanager
def two_workers(folder: Path) -> Iterator[TwoProcesses]:
    with Service(folder, settings={"workers": 2}) as service:
        yield TwoProcesses((service,))


@contextmanager
def two_services(server: PostgresServer, folder: Path) -> Iterator[TwoProcesses]:
    (folder / "other").mkdir()
    with (
        server.fresh() as url,
        Service(folder, database=url) as first,
        Service(folder / "other", database=url) as second,
    ):
        yield TwoProcesses((first, second))
