"""The database session for changes of access: reused, and checked before each use."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import psycopg
import pytest

from plantstore.sqlite.connection import database_path
from plantstore.sqlite.file_lock import FileLock
from tests.cli.program import Program
from tests.databases import ON_BOTH, SQLITE_ONLY, create_sqlite, execute
from tests.features.access.administration import open_administration
from tests.features.access.http.access_calls import (
    make_token,
    managing,
    members_of,
    set_role,
)
from tests.http.calls import expect_refused
from tests.next_version import NEWEST, next_program
from tests.postgres.server import PostgresServer
from tests.service import Service
from tests.waiting import wait_until

POSTGRES_ONLY = pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
_OURS = "datname = current_database() AND pid <> pg_backend_pid()"
_PIDS = f"SELECT pid, backend_start FROM pg_stat_activity WHERE {_OURS}"
_HELD = f"SELECT count(*) FROM pg_stat_activity WHERE {_OURS} AND xact_start IS NOT NULL"
_END_ALL = f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE {_OURS}"


@pytest.fixture
def own_service(tmp_path: Path, url: str) -> Iterator[Service]:
    with Service(tmp_path, database=url) as service:
        yield service


@pytest.fixture
def manager(own_service: Service) -> Iterator[httpx.Client]:
    with managing(own_service, "nursery", "ada") as client:
        yield client


@POSTGRES_ONLY
def test_all_requests_reuse_one_connection(own_service: Service, manager: httpx.Client) -> None:
    set_role(manager, "eve", "reader")
    with psycopg.connect(own_service.database) as watching:
        before = watching.execute(_PIDS).fetchall()
        for role in ("editor", "reader", "owner"):
            set_role(manager, "eve", role)
            members_of(manager)
        assert set(watching.execute(_PIDS).fetchall()) <= set(before)


@ON_BOTH
def test_no_lock_or_transaction_is_held_between_requests(
    own_service: Service, manager: httpx.Client
) -> None:
    members_of(manager)
    set_role(manager, "eve", "reader")
    expect_refused(manager.delete("/members/nobody"), 40404)
    if own_service.database.startswith("sqlite"):
        with closing(FileLock(database_path(own_service.database))) as lock:
            assert lock.try_acquire()
            lock.release()
        execute(own_service.database, "PRAGMA wal_checkpoint(TRUNCATE)")
        assert database_path(f"{own_service.database}-wal").stat().st_size == 0
    else:
        with psycopg.connect(own_service.database) as watching:
            assert watching.execute(_HELD).fetchall() == [(0,)]


@POSTGRES_ONLY
def test_a_change_succeeds_after_connections_are_lost(
    own_service: Service, manager: httpx.Client
) -> None:
    for user in ("eve", "kim"):
        assert set_role(manager, user, "reader").status_code == 201
        with psycopg.connect(own_service.database) as ending:
            ending.execute(_END_ALL)


@POSTGRES_ONLY
def test_a_change_succeeds_after_the_database_was_frozen(
    tmp_path: Path, url: str, postgres_server: PostgresServer
) -> None:
    with (
        Service(tmp_path, database=url, settings={"write_timeout": 0.5}) as service,
        managing(service, "nursery", "ada") as manager,
    ):
        assert set_role(manager, "eve", "reader").status_code == 201
        with postgres_server.frozen():
            expect_refused(set_role(manager, "eve", "editor"), 50302)
        wait_until(lambda: set_role(manager, "kim", "reader").is_success)
        assert members_of(manager) == {"ada": "owner", "eve": "reader", "kim": "reader"}


@SQLITE_ONLY
@pytest.mark.parametrize("is_opened", [True, False])
def test_a_file_that_replaces_the_database_is_not_changed(
    own_service: Service, manager: httpx.Client, tmp_path: Path, *, is_opened: bool
) -> None:
    if is_opened:
        set_role(manager, "eve", "reader")
    file = database_path(own_service.database)
    file.rename(tmp_path / "away.db")
    other = create_sqlite(tmp_path)
    assert other == own_service.database
    for _ in range(2):
        expect_refused(set_role(manager, "kim", "reader"), 50302)
    assert file.stat().st_size == 0
    assert "plants.db was replaced or removed while the service runs" in own_service.log()
    file.unlink()
    (tmp_path / "away.db").rename(file)
    assert set_role(manager, "kim", "reader").status_code == 201


@ON_BOTH
@pytest.mark.parametrize("is_compatible", [True, False])
def test_a_migration_by_a_newer_program_is_detected(
    own_service: Service, manager: httpx.Client, tmp_path: Path, *, is_compatible: bool
) -> None:
    assert set_role(manager, "eve", "reader").status_code == 201
    adapter = "sqlite" if own_service.database.startswith("sqlite") else "postgres"
    migration = "ALTER TABLE members ADD COLUMN until INTEGER;"
    if is_compatible:
        migration = f"-- compatible-since: {NEWEST[adapter]}\n{migration}"
    program = Program(tmp_path, {"PLANTSTORE_DATABASE": own_service.database})
    next_program(program, migration, adapter).out("migrate", "--yes")
    changed = set_role(manager, "eve", "editor")
    if is_compatible:
        assert changed.status_code == 200
        assert members_of(manager)["eve"] == "editor"
    else:
        expect_refused(changed, 50302)
        assert "newer than this program's" in own_service.log()


@ON_BOTH
def test_commands_and_requests_see_each_others_changes(
    own_service: Service, manager: httpx.Client
) -> None:
    """A command between two requests, and requests between two commands."""
    with closing(open_administration(own_service.database)) as administration:
        set_role(manager, "eve", "editor")
        administration.remove_member("nursery", "eve")
        assert members_of(manager) == {"ada": "owner"}
        created = make_token(manager, "ada")
        administration.revoke_token(created["id"])
        assert own_service.status_of(created["token"]) == 401
        assert manager.delete(f"/tokens/{created['id']}").status_code == 204


@SQLITE_ONLY
def test_stopping_the_service_closes_the_session(
    own_service: Service, manager: httpx.Client
) -> None:
    """An open session would keep SQLite from moving the WAL into the database."""
    set_role(manager, "eve", "reader")
    assert own_service.stop() == 0
    assert not database_path(f"{own_service.database}-wal").exists()
