"""Two processes that are one service, of each kind, and a client of each."""

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
        """One of them, for what does not depend on the process."""
        return self.services[0]

    @contextmanager
    def clients(self, token: str | None) -> Iterator[Clients]:
        """Clients whose connections lead to the one and to the other process."""
        with ExitStack() as stack:
            found: dict[str, httpx.Client] = {}
            deadline = time.monotonic() + 60
            while len(found) < 2:
                assert time.monotonic() < deadline
                for service in self.services:
                    client = stack.enter_context(service.client(token))
                    found.setdefault(process_of(client.get("/livez")), client)
            one, other = found.values()
            yield one, other


def process_of(answer: httpx.Response) -> str:
    """The process that responded: its request ids have the same prefix."""
    return str(answer.headers["x-request-id"]).split("-")[0]


@contextmanager
def two_workers(folder: Path) -> Iterator[TwoProcesses]:
    with Service(folder, settings={"workers": 2}) as service:
        yield TwoProcesses((service,))


@contextmanager
def two_services(server: PostgresServer, folder: Path) -> Iterator[TwoProcesses]:
    (folder / "other").mkdir()
    with (
        server.fresh() as url,
        Service(folder, database=url) as one,
        Service(folder / "other", database=url) as other,
    ):
        yield TwoProcesses((one, other))
