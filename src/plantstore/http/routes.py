"""The routes: the operations by path and method.

A path is split before it is decoded, so that an encoded slash stays within its segment.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from urllib.parse import unquote_to_bytes

from plantstore.database import Database
from plantstore.http.authentication import Authentication
from plantstore.http.events import EventOperations
from plantstore.http.health import Health
from plantstore.http.me import describe_token
from plantstore.http.one_plant import OnePlant
from plantstore.http.openapi import OpenApi
from plantstore.http.plants import PlantOperations
from plantstore.http.site import find_page
from plantstore.http.stores import list_stores
from plantstore.http.well_known import WellKnown
from plantstore.server.messages import Response, Stream
from plantstore.settings import Settings

Operation = Callable[..., Awaitable[Response | Stream]]
Methods = Mapping[str, Operation]
# With the values in the path, which are arguments of the operation, and the path's pattern.
Route = tuple[Methods, tuple[str, ...], str]
# Of what follows a store's address, in parts.
FindRoute = Callable[[list[str]], Route | None]


class Routes:
    """The routes of one database's application."""

    def __init__(
        self,
        database: Database,
        authentication: Authentication,
        operations: PlantOperations,
        events: EventOperations,
        settings: Settings,
    ) -> None:
        self.health, document = Health(database), OpenApi(settings.public_url)
        well_known = WellKnown(settings.public_url, settings.security_contact)
        self._plants: Methods = reads(operations.list_plants) | {"POST": operations.create}
        one = OnePlant(database, authentication)
        self._plant: Methods = reads(one.read) | {"PUT": one.replace, "DELETE": operations.delete}
        self._events = reads(events.list_events)
        live = reads(self.health.respond_live)
        fixed = {
            "/plants": self._plants,
            "/events": self._events,
            "/me": reads(partial(describe_token, authentication)),
            "/stores": reads(partial(list_stores, authentication)),
            "/livez": live,
            "/readyz": reads(self.health.respond_ready),
            "/openapi.json": reads(document.respond_json),
            "/openapi.yaml": reads(document.respond_yaml),
            "/.well-known/api-catalog": reads(well_known.respond_catalog),
            "/.well-known/security.txt": reads(well_known.respond_contact),
            "*": live,  # of the service as a whole; only OPTIONS comes with it
        }
        self._fixed: dict[bytes, Route] = {
            path.encode(): (methods, (), path) for path, methods in fixed.items()
        }
        self.find_fixed = self._fixed.get
        self._find_more: FindRoute = lambda _parts: None

    def add(self, fixed: Mapping[str, Methods], find_more: FindRoute) -> None:
        """Add the routes of another room: of fixed paths, and below a store's address."""
        self._fixed |= {path.encode(): (methods, (), path) for path, methods in fixed.items()}
        self._find_more = find_more

    async def find(self, path: bytes) -> Route | None:
        """The route of a path that is not fixed, or None."""
        parts = path.split(b"/", 5)
        if b"%" in path:
            parts = list(map(unquote_to_bytes, parts))
        match [part.decode(errors="replace") for part in parts]:
            case ["", "stores", store_name, *rest] if store_name:
                if found := self._find_of_store(rest):
                    methods, arguments, pattern = found
                    return methods, (*arguments, store_name), f"/stores/{{store}}{pattern}"
            case ["", *rest]:
                if found := self._find_of_store(rest):
                    return found
        page = await find_page(path)
        if page is None:
            return None
        pattern = "/static/{file}" if path.startswith(b"/static/") else path.decode()
        return reads(page), (), pattern

    def _find_of_store(self, parts: list[str]) -> Route | None:
        """The route of what follows a store's address."""
        match parts:
            case ["plants"]:
                return self._plants, (), "/plants"
            case ["plants", plant_id] if plant_id:
                return self._plant, (plant_id,), "/plants/{id}"
            case ["events"]:
                return self._events, (), "/events"
        return self._find_more(parts)


def reads(operation: Operation) -> dict[str, Operation]:
    """The methods of what is only read."""
    return {"GET": operation, "HEAD": operation}
