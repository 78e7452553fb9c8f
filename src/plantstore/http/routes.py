"""The routes: operations by path and method.

A path is split before it is unquoted, so that an encoded slash stays within its segment.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from urllib.parse import unquote

from plantstore.core.database import Database
from plantstore.core.errors import RequestError
from plantstore.core.pools import Pools
from plantstore.http.authentication import Authentication
from plantstore.http.health import Health
from plantstore.http.lists import PlantLists
from plantstore.http.me import describe_store, describe_token
from plantstore.http.plants import PlantOperations
from plantstore.server.messages import Response, Stream

_MAX_PARTS = 9  # more slashes than any route has

Operation = Callable[..., Awaitable[Response | Stream]]
Methods = Mapping[str, Operation]
# Methods, the values in the path (the operation's arguments), and the path's pattern.
Route = tuple[Methods, tuple[str, ...], str]


class Routes:
    """The routes of one database's application."""

    def __init__(
        self, database: Database, authentication: Authentication, lists: PlantLists, pools: Pools
    ) -> None:
        operations = PlantOperations(database, authentication)
        self.health = Health(database, pools)
        live = reads(self.health.respond_live)
        self.fixed: dict[bytes, Route] = {}
        # Below a store's address, by the number of segments and the constant segments.
        self._of_store: dict[tuple[int, tuple[str, ...]], tuple[Methods, str]] = {}
        self.add_of_store("/plants", reads(lists.respond) | {"POST": operations.create})
        of_plant = {"PUT": operations.replace, "DELETE": operations.delete}
        self.add_of_store("/plants/{id}", reads(operations.read) | of_plant)
        self.add("/me", reads(partial(describe_token, authentication)))
        self._of_store[0, ()] = reads(partial(describe_store, authentication)), ""
        self.add("/livez", live)
        self.add("/readyz", reads(self.health.respond_ready))
        self.add("*", live)  # OPTIONS * is about the service as a whole

    def add(self, path: str, methods: Methods, pattern: str = "") -> None:
        """Add the route of a fixed path; its pattern is the path unless given."""
        self.fixed[path.encode()] = methods, (), pattern or path

    def add_of_store(self, pattern: str, methods: Methods) -> None:
        """Add a path below every store's address, such as ``/plants/{id}``."""
        parts = pattern[1:].split("/")
        place = len(parts), tuple(parts[::2])
        known, _ = self._of_store.get(place, ({}, ""))
        self._of_store[place] = {**known, **methods}, pattern
        if len(parts) == 1:
            self.add(pattern, self._of_store[place][0])

    def find(self, path: bytes) -> Route:
        """The route of a path with values.

        :raises RequestError: there is none.
        """
        text, base = path.decode(errors="replace"), ""
        store: tuple[str, ...] = ()
        parts = text[1:].split("/", _MAX_PARTS)
        if "%" in text:
            parts = [unquote(part).replace("\0", "\1") for part in parts]  # PostgreSQL takes no NUL
        if parts[0] == "stores" and any(parts[1:2]):
            store, base, parts = (parts[1],), "/stores/{store}", parts[2:]
        values = tuple(parts[1::2])
        methods, pattern = self._of_store.get((len(parts), tuple(parts[::2])), ({}, ""))
        if not methods or "" in values:
            raise RequestError(40402)
        return methods, values + store, base + pattern


def reads(operation: Operation) -> dict[str, Operation]:
    """The methods of a path that is only read."""
    return {"GET": operation, "HEAD": operation}
