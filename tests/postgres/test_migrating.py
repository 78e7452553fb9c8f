"""``plantstore migrate`` on PostgreSQL: concurrently, under load, and refused."""

import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.cli.program import PLANTSTORE, Program
from tests.next_version import MIGRATION, NEWEST, next_program
from tests.postgres.proxy import Proxy
from tests.postgres.server import PostgresServer
from tests.service import Service
from tests.waiting import wait_until

COMPATIBLE = f"-- compatible-since: 1\n{MIGRATION}"
INDEX = """-- compatible-since: 1
-- outside-transaction
-- For lists by name.

DROP INDEX CONCURRENTLY IF EXISTS plants_by_name;

CREATE INDEX CONCURRENTLY plants_by_name ON plants (store_id, name);
"""
IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('plants_by_name')"
OTHERS = "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query ~"
END_BUILD = f"SELECT pg_terminate_backend(pid, 10000) {OTHERS} 'CREATE INDEX CONCURRENTLY'"
IS_MIGRATING = f"SELECT {OTHERS} 'DROP INDEX CONCURRENTLY|progress_create_index'"


@pytest.fixture
def empty(postgres_server: PostgresServer, tmp_path: Path) -> Program:
    return Program(tmp_path, {"PLANTSTORE_DATABASE": postgres_server.make_database()})


@pytest.fixture
def program(postgres_server: PostgresServer, tmp_path: Path) -> Iterator[Program]:
    with postgres_server.fresh() as url:
        yield Program(tmp_path, {"PLANTSTORE_DATABASE": url})


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("check",), ("token", "list")])
def test_a_database_without_tables_is_refused_with_advice(
    empty: Program, command: tuple[str, ...]
) -> None:
    assert "the database has no tables yet: run `" in empty.refusal(*command)


def test_concurrent_migrations_apply_each_migration_once(empty: Program) -> None:
    with ThreadPoolExecutor() as pool:
        runs = list(pool.map(lambda _: empty.run("migrate"), range(4)))
    assert [run.status for run in runs] == [0, 0, 0, 0]
    first, *others = sorted(run.out for run in runs)
    assert first.startswith("applied migration 1 (initial)\n")
    assert others == 3 * ["the schema is up to date\n"]
    assert empty.data("token", "list") == []


def test_a_migration_times_out_while_it_waits_for_a_table_lock(program: Program) -> None:
    """A statement that waits for a table's lock blocks every statement after it."""
    newer = next_program(program, COMPATIBLE, "postgres")
    source = Path(newer.environ["PYTHONPATH"]) / "plantstore" / "postgres" / "queries.sql"
    source.write_text(source.read_text().replace("'5s'", "'500ms'"))
    with closing(psycopg.connect(program.environ["PLANTSTORE_DATABASE"])) as reader:
        reader.execute("SELECT count(*) FROM plants")
        message = newer.refusal("migrate")
    assert "lock timeout" in message
    assert newer.run("migrate").out == f"applied migration {NEWEST['postgres'] + 1} (next)\n"


@contextmanager
def building(newer: Program) -> Iterator["subprocess.Popen[str]"]:
    """Run a migration that builds ``INDEX`` and must wait until the end of the block."""
    url = newer.environ["PLANTSTORE_DATABASE"]
    with psycopg.connect(url) as writer, psycopg.connect(url, autocommit=True) as other:
        writer.execute("INSERT INTO plants (store_id, id, name) VALUES (0, 0, 'Fern')")
        migrating = subprocess.Popen(
            [*PLANTSTORE, "migrate"], env=newer.environ, stdout=subprocess.PIPE, text=True
        )
        wait_until(lambda: other.execute(IS_VALID).fetchall() == [(False,)])
        yield migrating


def test_writes_continue_while_an_index_is_built(program: Program) -> None:
    url = program.environ["PLANTSTORE_DATABASE"]
    newer = next_program(program, INDEX, "postgres")
    with Service(program.folder, database=url) as old, old.client(old.make_token()) as client:
        with building(newer) as migrating:
            assert client.post("/plants", json={"id": 1, "name": "Fern"}).is_success
            assert client.delete("/plants/1").is_success
            assert migrating.poll() is None
        out, _ = migrating.communicate(timeout=30)
    assert out == f"applied migration {NEWEST['postgres'] + 1} (next)\n"
    with psycopg.connect(url) as connection:
        assert connection.execute(IS_VALID).fetchall() == [(True,)]
    assert newer.data("token", "list")


@pytest.mark.parametrize("is_ended", [True, False])
def test_a_killed_index_build_is_repeated(program: Program, *, is_ended: bool) -> None:
    """Also if the server has not noticed and continues the build."""
    newer = next_program(program, INDEX, "postgres")
    url = newer.environ["PLANTSTORE_DATABASE"]
    with psycopg.connect(url, autocommit=True) as connection, ThreadPoolExecutor() as pool:
        with building(newer) as migrating:
            migrating.kill()
            migrating.communicate()
            if is_ended:
                connection.execute(END_BUILD)
            assert "(next) is pending" in newer.refusal("token", "list")
            assert connection.execute(IS_VALID).fetchall() == [(False,)]
            again = pool.submit(newer.run, "migrate")
            wait_until(lambda: connection.execute(IS_MIGRATING).rowcount)
        assert again.result().out == f"applied migration {NEWEST['postgres'] + 1} (next)\n"
        assert connection.execute(IS_VALID).fetchall() == [(True,)]


def change_functions(newer: Program) -> None:
    """Make the functions of the next program write another token id into events."""
    file = Path(newer.environ["PYTHONPATH"]) / "plantstore" / "postgres" / "functions.sql"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("left(w.token_hash, 16)", "'changed'"), encoding="utf-8")


def test_older_programs_run_and_start_with_newer_functions(program: Program) -> None:
    url = program.environ["PLANTSTORE_DATABASE"]
    newer = next_program(program, COMPATIBLE, "postgres")
    change_functions(newer)
    with Service(program.folder, database=url) as old, old.client(old.make_token()) as client:
        assert client.post("/plants", json={"id": 1, "name": "Fern"}).is_success
        applied = f"applied migration {NEWEST['postgres'] + 1} (next)\n"
        assert newer.run("migrate").out == f"{applied}applied the update of functions\n"
        assert client.post("/plants", json={"id": 2, "name": "Aloe"}).is_success
        assert program.run("migrate").out == "the schema is up to date\n"
        assert client.delete("/plants/1").is_success
        first, *later = [event.token_id for event in old.events("nursery")]
        assert first != "changed"
        assert later == ["changed", "changed"]
    with Service(program.folder, database=url) as old, old.client(old.make_token()) as client:
        assert client.post("/plants", json={"id": 3, "name": "Ivy"}).is_success
    assert len(newer.data("token", "list")) == 2


def test_older_functions_are_refused_with_advice(program: Program) -> None:
    newer = next_program(program, "", "postgres")
    assert newer.run("migrate").out == f"applied migration {NEWEST['postgres'] + 1} (next)\n"
    change_functions(newer)
    for command in (("serve", "--port", "0"), ("token", "list")):
        assert "the update of functions is pending: make a backup" in newer.refusal(*command)
    assert newer.run("migrate").out == "applied the update of functions\n"
    assert newer.data("token", "list") == []


@pytest.mark.parametrize(
    "command", [("serve", "--port", "0"), ("check",), ("migrate",), ("token", "list")]
)
def test_an_old_version_of_postgresql_is_refused(
    postgres_server: PostgresServer, tmp_path: Path, command: tuple[str, ...]
) -> None:
    ((version,),) = postgres_server.execute("SHOW server_version")
    actual, older = str(version), f"14{str(version)[2:]}"
    with Proxy(postgres_server.port) as proxy:
        proxy.replaced = (f"server_version\0{actual}".encode(), f"server_version\0{older}".encode())
        program = Program(tmp_path, {"PLANTSTORE_DATABASE": postgres_server.url(port=proxy.port)})
        assert f"PostgreSQL {older} is too old: use PostgreSQL 15 or newer" in program.refusal(
            *command
        )


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
@pytest.mark.parametrize("command", ["migrate", "check"])
def test_a_database_whose_encoding_is_not_utf_8_is_refused(
    postgres_server: PostgresServer, tmp_path: Path, encoding: str, command: str
) -> None:
    name = f"{command}_{encoding}".lower()
    postgres_server.execute(f"CREATE DATABASE {name} ENCODING {encoding} TEMPLATE template0")
    program = Program(tmp_path, {"PLANTSTORE_DATABASE": postgres_server.url(name)})
    assert f"its encoding is {encoding}: create one with CREATE DATABASE" in program.refusal(
        command
    )


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_pgclientencoding_is_ignored(program: Program, encoding: str) -> None:
    create = ("token", "create", "--create", "--store", "nursery", "--user", "Zoë 🌿")
    program.out(*create, PGCLIENTENCODING=encoding)
    assert " Zoë 🌿 " in program.out("token", "list", PGCLIENTENCODING=encoding)


def test_a_role_without_permissions_gets_an_explanation(
    program: Program, postgres_server: PostgresServer
) -> None:
    url = program.environ["PLANTSTORE_DATABASE"]
    postgres_server.execute("DROP ROLE IF EXISTS nobody", "CREATE ROLE nobody LOGIN")
    without_permissions = Program(
        program.folder, {"PLANTSTORE_DATABASE": url.replace("postgres@", "nobody@")}
    )
    assert "the database role lacks a permission" in without_permissions.refusal("token", "list")
