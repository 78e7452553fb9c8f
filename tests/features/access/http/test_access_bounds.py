"""Bounds of access: the maximum of members and tokens, a slow database, a flood of requests."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path

import psycopg
import pytest

from plantstore.features.access.http.members import MAX_MEMBERS
from plantstore.features.access.members import MAX_TOKENS
from tests.databases import ON_BOTH, execute, writes_held
from tests.features.access.http.access_calls import (
    make_token,
    managing,
    members_of,
    set_role,
    tokens_of,
)
from tests.http.calls import expect_refused
from tests.log_lines import LoggingService
from tests.service import Service
from tests.waiting import wait_until

# The errors that this module's tests provoke; ``test_every_error`` collects them.
NUMBERS = {40303}
_ADMINISTRATION = 7091938230912  # the lock's number on PostgreSQL
_INSERT = (
    "INSERT INTO tokens (store_id, token_hash, user_id, all_stores, scopes, label, created_at,"
    " expires_at) SELECT s.store_id, $1, m.user_id, {false}, 'list', '', 1, $2"
    " FROM stores AS s JOIN members AS m ON m.store_id = s.store_id WHERE s.name = $3"
)
_INSERT_USER = "INSERT INTO users (subject, created_at) VALUES ($1, 0)"
_INSERT_MEMBER = (
    "INSERT INTO members (store_id, user_id, role, since)"
    " SELECT s.store_id, u.user_id, 'reader', 0"
    " FROM stores AS s CROSS JOIN users AS u WHERE s.name = $1 AND u.subject = $2"
)


def test_the_number_of_members_is_limited(service: Service, store: str) -> None:
    names = [f"{store} {number}" for number in range(MAX_MEMBERS - 2)]
    with managing(service, store) as manager:
        execute(service.database, _INSERT_USER, [(name,) for name in names])
        execute(service.database, _INSERT_MEMBER, [(store, name) for name in names])
        assert set_role(manager, "last", "reader").status_code == 201
        expect_refused(set_role(manager, "too many", "reader"), 40303)
        assert set_role(manager, "last", "editor").status_code == 200
        assert len(members_of(manager)) == MAX_MEMBERS


def test_the_number_of_valid_tokens_is_limited(service: Service, store: str) -> None:
    is_sqlite = service.database.startswith("sqlite")
    statement = _INSERT.format(false="0" if is_sqlite else "false")
    owner = f"owner of {store}"
    with managing(service, store) as manager:
        for expires_at in (1, None):  # expired tokens do not count
            hashes = [
                sha256(f"{store} {number} {expires_at}".encode()).digest()
                for number in range(MAX_TOKENS - 2)
            ]
            execute(
                service.database,
                statement,
                [(token_hash, expires_at, store) for token_hash in hashes],
            )
        created = make_token(manager, owner)
        expect_refused(manager.post("/tokens", json={"user": owner}), 40303)
        assert len(tokens_of(manager)) == MAX_TOKENS
        manager.delete(f"/tokens/{created['id']}")
        make_token(manager, owner)


@pytest.fixture
def own_service(tmp_path: Path, url: str) -> Iterator[LoggingService]:
    """A service whose writes time out after half a second."""
    settings: dict[str, object] = {"write_timeout": 0.5}
    with LoggingService(tmp_path, database=url, settings=settings) as service:
        yield service


@contextmanager
def administration_held(url: str) -> Iterator[None]:
    """Block every administrative change, as a slow command would."""
    if url.startswith("sqlite"):
        with writes_held(url):
            yield
        return
    with closing(psycopg.connect(url)) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", (_ADMINISTRATION,))
        yield


@ON_BOTH
def test_a_change_that_timed_out_is_not_applied_later(own_service: LoggingService) -> None:
    with managing(own_service, "nursery", "ada") as manager, ThreadPoolExecutor(1) as thread:
        before = members_of(manager)
        with administration_held(own_service.database):
            for refused in (set_role(manager, "eve", "owner"), manager.delete("/members/ada")):
                expect_refused(refused, 50302)
            assert manager.get("/plants").status_code == 200
            last = thread.submit(set_role, manager, "bob", "owner")
            assert not wait([last], timeout=0.05).done
        assert last.result().status_code == 201
        assert members_of(manager) == before | {"bob": "owner"}


def test_a_flood_on_one_store_does_not_reject_other_stores(tmp_path: Path, url: str) -> None:
    with (
        Service(tmp_path, database=url) as service,
        managing(service, "nursery", "ada") as ada,
        managing(service, "orchard", "eve") as eve,
        ThreadPoolExecutor(41) as threads,
    ):
        with administration_held(url):
            flood = [threads.submit(set_role, ada, f"x{number}", "reader") for number in range(40)]
            wait_until(lambda: any(future.done() for future in flood))
            other = threads.submit(set_role, eve, "ada", "reader")
            assert not wait([other], timeout=0.5).done
        assert other.result().status_code == 201
        numbers = [future.result().json().get("error") for future in flood]
        assert set(numbers) == {None, 50301}


def test_changes_are_logged_with_their_author(own_service: LoggingService) -> None:
    with managing(own_service, "nursery", "ada") as manager:
        own_id = tokens_of(manager)[0]["id"]
        set_role(manager, "kiosk", "reader")
        token = make_token(manager, "kiosk")
        manager.delete(f"/tokens/{token['id']}")
        response = manager.delete("/members/kiosk")
        expect_refused(manager.delete("/members/kiosk"), 40404)
    added, created, revoked, removed = own_service.records("security.administration")
    for record in (added, created, revoked, removed):
        assert (record["message"], record["token_id"]) == ("access changed", own_id)
        assert record["address"] == "127.0.0.1"
    assert (added["method"], added["route"]) == ("PUT", "/members/{user}")
    assert (added["role"], added["old_role"]) == ("reader", "none")
    assert (created["new_token_id"], created["scopes"]) == (token["id"], "list")
    assert revoked["revoked_token_id"] == token["id"]
    assert removed["member_id"] == added["member_id"] != added["user_id"]
    assert removed["request_id"] == response.headers["x-request-id"]
    assert token["token"] not in own_service.log()
    assert "kiosk" not in own_service.log()
