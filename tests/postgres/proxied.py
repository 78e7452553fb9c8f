"""A service whose connections to PostgreSQL go through a proxy that can fail."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
from msgspec import Struct

from plantstore.core.model import NewPlant
from tests.administration import Event, open_administration
from tests.contract.harness import replay
from tests.faults.load import list_plants
from tests.postgres.proxy import Proxy
from tests.postgres.server import PostgresServer
from tests.service import Service

STORE = "nursery"


class ProxiedService(Struct, frozen=True):
    """The service, the proxy in front of its database, the database's own URL, and a token."""

    service: Service
    proxy: Proxy
    direct: str
    token: str

    def events(self) -> list[Event]:
        with closing(open_administration(self.direct)) as administration:
            return list(administration.list_events(STORE))

    def plants(self) -> list[NewPlant]:
        return replay(self.events())

    def assert_consistent(self) -> None:
        """Fail unless the events have no gap and, replayed, give the listed plants."""
        events = self.events()
        assert [event.revision for event in events] == list(range(1, len(events) + 1))
        assert list_plants(self.service, self.token) == replay(events)


@contextmanager
def proxied_service(
    server: PostgresServer, folder: Path, settings: Mapping[str, object] | None = None
) -> Iterator[ProxiedService]:
    with server.fresh() as direct, Proxy(server.port) as proxy:
        behind = direct.replace(f":{server.port}/", f":{proxy.port}/")
        with Service(folder, database=behind, settings=settings) as service:
            yield ProxiedService(service, proxy, direct, service.make_token(STORE))


def error_of(response: httpx.Response) -> int:
    """The response's error number; 0 for success."""
    return 0 if response.is_success else int(response.json()["error"])
