"""``docs/postgresql-role.sql``: the role is allowed what the service needs, and no more."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest

from plantstore.core.clock import now
from plantstore.core.model import Grant
from plantstore.databases import open_session
from plantstore.features.events.retention import trim_access
from plantstore.sql.queries import load_queries
from plantstore.sql.trimming import trim_keys
from tests.administration import open_administration
from tests.cli.program import Program
from tests.databases import execute
from tests.features.access.http.access_calls import make_token, members_of, set_role, tokens_of
from tests.http.blocking import fill_store
from tests.postgres.server import PostgresServer
from tests.service import Service

ROLE_FILE = Path(__file__).parents[2] / "docs" / "postgresql-role.sql"
ROLE = "plantstore_service"
FORBIDDEN: tuple[LiteralString, ...] = (
    "UPDATE plants SET id = 1",
    "UPDATE events SET name = 'x'",
    "UPDATE revisions SET max_plants = NULL",
    "TRUNCATE plants",
    "INSERT INTO stores (name, created_at) VALUES ('x', 0)",
    "UPDATE users SET subject = 'x'",
    "UPDATE members SET store_id = 1",
    "INSERT INTO revisions VALUES (1, 1)",
    "UPDATE revisions SET store_id = 1",
    "UPDATE tokens SET scopes = 'manage'",
    "UPDATE tokens SET expires_at = NULL",
    "UPDATE links SET expires_at = 1",
    "UPDATE idempotency_keys SET created_at = 1",
    "DELETE FROM stores",
    "DELETE FROM schema_migrations",
    "ALTER TABLE plants ADD COLUMN x text",
    "CREATE TABLE x (y text)",
)


@pytest.fixture
def owners_url(postgres_server: PostgresServer) -> Iterator[str]:
    """A database on which the role has its grants; the URL is the owner's."""
    with postgres_server.fresh() as url:
        name = url.rpartition("/")[2]
        script = ROLE_FILE.read_text(encoding="utf-8")
        for _ in range(2):  # it may be run again
            postgres_server.execute(script, f"ALTER ROLE {ROLE} LOGIN", database=name)
        yield url


def as_role(owners_url: str) -> str:
    return owners_url.replace("postgres@", f"{ROLE}@")


def test_the_role_has_the_settings_of_connections_which_pgbouncer_drops(owners_url: str) -> None:
    query = load_queries("plantstore.postgres")["plan_lookups"]
    names = re.findall(r"set_config\(\s*'(\w+)'", query)
    with psycopg.connect(as_role(owners_url)) as connection:

        def read() -> list[object]:
            sql = "SELECT array_agg(current_setting(name)) FROM unnest(%s::text[]) AS name"
            return list(connection.execute(sql, [names]))

        given = read()
        connection.execute(query.encode())
        assert given == read()


def test_the_service_works_with_the_role(tmp_path: Path, owners_url: str) -> None:
    owner = Program(tmp_path, {"PLANTSTORE_DATABASE": owners_url})
    token = owner.out(
        *("token", "create", "--create", "--store", "nursery", "--user", "ada"),
        *("--all-stores", "--manage"),
    )
    with (
        Service(tmp_path, database=as_role(owners_url)) as service,
        service.client(token) as client,
    ):
        key = {"Idempotency-Key": "one"}
        for _ in range(2):
            body = {"id": 1, "name": "Fern", "tag": "green"}
            assert client.post("/plants", json=body, headers=key).status_code == 200
        assert client.post("/stores/nursery/plants", json={"id": 2, "name": "Aloe"}).is_success
        assert client.put("/plants/2", json={"name": "Moss"}).status_code == 200
        assert client.get("/plants/2").json() == {"name": "Moss"}
        assert client.delete("/plants/2").status_code == 204
        listed = client.get("/plants?tag=green&include=id").json()
        assert [plant["id"] for plant in listed] == [1]
        fill_store(Service(tmp_path, database=owners_url), "nursery", 1100)
        assert len(client.get("/plants").json()) == 1100  # read from a snapshot
        assert client.get("/events?limit=1").json()[0]["user"] == "ada"
        assert client.get("/me").json()["user"] == "ada"
        assert set_role(client, "kiosk", "reader").status_code == 201
        created = make_token(client, "kiosk")
        assert client.delete(f"/tokens/{created['id']}").status_code == 204
        assert tokens_of(client) == []
        code = client.post("/links", json={"user": "kiosk"}).json()["code"]
        created = client.post("/links/redeem", json={"code": code}).json()
        assert client.delete(f"/tokens/{created['id']}").status_code == 204
        assert client.delete("/members/kiosk").status_code == 204
        assert members_of(client) == {"ada": "owner"}
        assert client.get("/readyz").status_code == 200
    assert "permission denied" not in service.log()
    (used_token, *_revoked) = owner.data("token", "list")
    assert used_token["last_used_at"] is not None  # written when the service stopped


def test_the_role_may_delete_ended_access_and_old_keys(owners_url: str) -> None:
    with closing(open_administration(owners_url)) as owner:
        owner.create_user("eve")
        owner.create_token(Grant(subject="ada", store="nursery", expires_at=1))
        execute(owners_url, "UPDATE tokens SET created_at = 0")
        newest = owner.create_token(Grant(subject="ada", store="nursery")).token
        with closing(open_session(as_role(owners_url))) as session:
            assert trim_access(session, now() + 1) < 1
            assert trim_keys(session, now()) > 1
        assert [user.subject for user in owner.list_users()] == ["ada"]
        assert owner.list_tokens() == [newest]


def test_other_statements_are_denied_to_the_role(owners_url: str) -> None:
    with psycopg.connect(as_role(owners_url), autocommit=True) as connection:
        for statement in FORBIDDEN:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)


def test_a_denied_command_reports_the_missing_permission(tmp_path: Path, owners_url: str) -> None:
    program = Program(tmp_path, {"PLANTSTORE_DATABASE": as_role(owners_url)})
    assert "the database role lacks a permission" in program.refusal("store", "create", "nursery")
