"""A database with rows of every kind, for copying."""

from pathlib import Path

import httpx
from msgspec import Struct

from plantstore.core.model import INT64_MAX, INT64_MIN, TEXT_LENGTHS, Role, Scope
from plantstore.sqlite.connection import database_path
from tests.service import Service

SQLITE_URL = "sqlite:///{}/plants.db"
KEY = {"Idempotency-Key": "once"}
KEYED = {"id": 20, "name": "Ficus"}
PLANTS = (
    {"id": INT64_MIN, "name": "the lowest"},
    {"id": -1, "name": "Löwenzahn 🌼 e\u0301\u200d\\N \\. \u2028", "tag": "\\x00 \u200f 'quoted\""},
    {"id": 0, **{field: "🌱" * longest for field, (longest, _) in TEXT_LENGTHS.items()}},
    {"id": INT64_MAX, "name": "the highest", "tag": "tropical"},
)


class Tokens(Struct, frozen=True):
    """The tokens of the source."""

    owner: str
    reader: str
    everywhere: str
    revoked: str
    expired: str


class Filled(Struct, frozen=True):
    """A filled database."""

    url: str
    tokens: Tokens

    @property
    def path(self) -> Path:
        return database_path(self.url)


def fill(folder: Path, url: str) -> Filled:
    """Fill a database through the service and its administration."""
    with Service(folder, database=url) as service:
        tokens = make_tokens(service)
        with service.client(tokens.owner) as client:
            for plant in (*PLANTS, {"id": 7, "name": "deleted"}, {"id": 8, "name": "before"}):
                assert client.post("/plants", json=plant).status_code == 200
            for plant_id in (7, 8):
                assert client.delete(f"/plants/{plant_id}").status_code == 204
            recreated = client.post("/plants", json={"id": 8, "name": "after", "tag": "new"})
            assert recreated.status_code == 200
            assert client.post("/plants", json=KEYED, headers=KEY).status_code == 200
            assert client.post("/stores/meadow/plants", json=KEYED).status_code == 404
        with service.client(tokens.everywhere) as client:
            assert client.post("/stores/meadow/plants", json=KEYED).status_code == 200
    return Filled(url, tokens)


def make_tokens(service: Service) -> Tokens:
    """Create tokens of every state, and three stores, of which one stays empty."""
    with service.administration() as administration:
        for store in ("gone", "empty"):
            administration.create_store(store)
        owner = service.make_token()
        service.make_token("meadow", "Zoë 🌿")
        administration.delete_store("gone")  # ids have a gap
    service.set_role("meadow", "ada", Role.EDITOR)
    revoked = service.make_token()
    service.revoke(revoked)
    return Tokens(
        owner=owner,
        reader=service.make_token(user="kiosk", role=Role.READER),
        everywhere=service.make_token(all_stores=True, scopes=frozenset(Scope)),
        revoked=revoked,
        expired=service.make_token(expires_at=1),
    )


def list_plants(client: httpx.Client) -> object:
    response = client.get("/plants?include=id")
    assert response.status_code == 200, response.text
    return response.json()
