"""A store with one plant and tokens of every kind, and the routes of the core."""

from dataclasses import dataclass
from uuid import uuid4

from plantstore.core.model import Scope
from tests.http.raw import Message, Response, exchange
from tests.service import Service

PLANT = b'{"id": 1, "name": "Fern"}'
UPDATED_PLANT = b'{"name": "Moss"}'
NEW_PLANT = b'{"id": 2, "name": "Aloe", "tag": "succulent"}'


@dataclass(frozen=True)
class Route:
    """A method of a path; ``scope`` is None if the token needs no scope."""

    method: str
    path: str
    allow: str
    scope: Scope | None = None
    needs_token: bool = True
    body: bytes = b""
    status: int = 200  # of a good request with GET

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def open_reads(*paths: str) -> tuple[Route, ...]:
    """Routes that anybody may read, without a token."""
    return tuple(
        Route(method, path, READ, needs_token=False) for path in paths for method in ("GET", "HEAD")
    )


COLLECTION = "GET, HEAD, POST, OPTIONS"  # the methods that a path allows
PLANT_ALLOWS = "GET, HEAD, PUT, DELETE, OPTIONS"
READ = "GET, HEAD, OPTIONS"
BASES = ("", "/stores/{store}")
LISTS = tuple(
    Route(method, f"{base}/plants", COLLECTION, Scope.LIST)
    for base in BASES
    for method in ("GET", "HEAD")
)
CREATES = tuple(Route("POST", f"{base}/plants", COLLECTION, Scope.CREATE) for base in BASES)
GETS = tuple(
    Route(method, f"{base}/plants/1", PLANT_ALLOWS, Scope.LIST)
    for base in BASES
    for method in ("GET", "HEAD")
)
UPDATES = tuple(Route("PUT", f"{base}/plants/1", PLANT_ALLOWS, Scope.UPDATE) for base in BASES)
DELETES = tuple(Route("DELETE", f"{base}/plants/1", PLANT_ALLOWS, Scope.DELETE) for base in BASES)
WRITES = (*CREATES, *UPDATES, *DELETES)
OPERATIONS = (*LISTS, *GETS, *WRITES)
# Routes about the token itself.
ME = tuple(
    Route(method, path, READ) for path in ("/me", "/stores/{store}") for method in ("GET", "HEAD")
)
HEALTH = open_reads("/livez", "/readyz")


@dataclass(frozen=True)
class StoreFixture:
    """A new store in a running service. It has the plant 1; ``token`` may do everything."""

    service: Service
    store: str
    token: str

    def token_missing(self, scope: Scope) -> str:
        """A token of the same user with all scopes but this."""
        scopes = frozenset(Scope) - {scope}
        return self.service.make_token(self.store, f"owner of {self.store}", scopes=scopes)

    def token_of_non_member(self) -> str:
        """A token of a user who is no longer a member."""
        user = f"non_member of {self.store}"
        token = self.service.make_token(self.store, user)
        with self.service.administration() as administration:
            administration.remove_member(self.store, user)
        return token

    def message(self, route: Route, token: str | None = None) -> Message:
        """A valid request for the route."""
        message = Message(route.method, route.path.format(store=self.store))
        if route.needs_token:
            message = message.with_header("Authorization", f"Bearer {token or self.token}")
        if route.body:
            return message.with_body(route.body)
        if route.scope is Scope.CREATE:
            return message.with_body(NEW_PLANT)
        return message.with_body(UPDATED_PLANT) if route.scope is Scope.UPDATE else message

    def send(self, message: Message) -> Response:
        """The response to a request on a new connection."""
        return exchange(self.service.origin, message)

    def create(self, body: bytes) -> Response:
        """The response to a create by the owner."""
        return self.send(self.message(CREATES[0]).with_body(body))

    def plants(self) -> bytes:
        """The body of the owner's list, with all fields."""
        message = self.message(LISTS[0])
        return self.send(message.with_target("/plants?include=id")).body


def make_fixture(service: Service) -> StoreFixture:
    store = f"fixture-{uuid4().hex}"
    token = service.make_token(store, f"owner of {store}", scopes=frozenset(Scope))
    fixture = StoreFixture(service, store, token)
    assert fixture.create(PLANT).status == 200
    return fixture
