"""``plantstore migrate`` upgrades a schema; commands refuse a schema of another version."""

import random
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.program import CREATE, PLANTSTORE, Program
from tests.databases import Kind, execute
from tests.next_version import MIGRATION, NEWEST, next_program
from tests.readiness import wait_for_readiness
from tests.service import Service

SLOW = """
CREATE TABLE numbers AS
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000) SELECT i FROM n;
"""

COMMANDS: tuple[tuple[str, ...], ...] = (("serve", "--port", "0"), ("token", "list"))


@pytest.fixture
def program(url: str, tmp_path: Path) -> Program:
    """The program with a database of each kind, with a store."""
    program = Program(tmp_path, {"PLANTSTORE_DATABASE": url}).with_database()
    program.out(*CREATE)
    return program


def assert_serves(program: Program) -> None:
    """Fail unless the database has this program's version and still its store."""
    assert program.run("migrate").out == "the schema is up to date\n"
    assert [token["store"] for token in program.data("token", "list")] == ["nursery"]


def test_migrate_applies_a_pending_migration_once(program: Program, database_kind: Kind) -> None:
    newer = next_program(program, MIGRATION, database_kind.name)
    newest = NEWEST[database_kind.name]
    pending = f"migration {newest + 1} (next) is pending: make a backup, then run `"
    for command in COMMANDS:
        assert pending in newer.refusal(*command)
    migrated = newer.run("migrate")
    assert (migrated.status, migrated.err) == (0, "")
    assert migrated.out == f"applied migration {newest + 1} (next)\n"
    assert_serves(newer)
    for command in (*COMMANDS, ("migrate",), ("migrate", "--dry-run")):
        refused = program.refusal(*command)
        assert f"is version {newest + 1}, newer than this program's {newest}" in refused


def test_a_dry_run_changes_nothing(program: Program, database_kind: Kind) -> None:
    newer = next_program(program, MIGRATION, database_kind.name)
    result = newer.run("migrate", "--dry-run")
    assert (result.status, result.err) == (0, "")
    would = f"would apply migration {NEWEST[database_kind.name] + 1} (next)"
    assert result.out == f"{would}; stop older programs first\n"
    assert_serves(program)


def test_an_incompatible_migration_is_refused_while_a_service_runs(
    program: Program, url: str, database_kind: Kind
) -> None:
    newer = next_program(program, MIGRATION, database_kind.name)
    folder = program.folder
    with Service(folder, database=url) as service, service.client(service.make_token()) as client:
        assert client.post("/plants", json={"id": 1, "name": "Fern"}).is_success
        refused = newer.refusal("migrate")
        assert f"cannot work with migration {NEWEST[database_kind.name] + 1} (next)" in refused
        assert client.post("/plants", json={"id": 2, "name": "Fern"}).is_success
        newer.out("migrate", "--yes")
        assert "a newer program migrated" in wait_for_readiness(service, 503)
        refusal = client.post("/plants", json={"id": 3, "name": "Fern"})
        assert refusal.json()["error"] == 50302
        listed = client.get("/plants")
        assert (listed.headers["x-total-count"], len(listed.json())) == ("2", 2)


def test_a_compatible_migration_keeps_a_running_service_ready(
    program: Program, url: str, database_kind: Kind
) -> None:
    newer = next_program(program, f"-- compatible-since: 1\n{MIGRATION}", database_kind.name)
    folder = program.folder
    with Service(folder, database=url) as service, service.client(service.make_token()) as client:
        assert newer.data("migrate", "--dry-run")["migrations"][0]["compatible"]
        newer.out("migrate")
        assert client.post("/plants", json={"id": 1, "name": "Fern"}).is_success
        assert wait_for_readiness(service, 200) == "ready"


def test_a_failed_migration_is_rolled_back(program: Program, database_kind: Kind) -> None:
    newer = next_program(program, f"{MIGRATION} SELECT * FROM nowhere;", database_kind.name)
    assert "nowhere" in newer.refusal("migrate")
    assert_serves(program)


def test_a_database_of_a_prerelease_version_is_refused(program: Program, url: str) -> None:
    execute(url, "UPDATE schema_migrations SET checksum = 'abc' WHERE number = 1")
    execute(url, "INSERT INTO schema_migrations VALUES (8, 'links', 'def', 4, 0)")
    execute(url, "ALTER TABLE schema_migrations RENAME COLUMN compatible_since TO oldest")
    advice = "migration 1 (initial) was applied to this database in another form, as versions"
    for command in (*COMMANDS, ("migrate",)):
        assert advice in program.refusal(*command)


def test_a_killed_migration_leaves_the_old_or_the_new_schema(
    program: Program, database_kind: Kind
) -> None:
    newer = next_program(program, SLOW, database_kind.name)
    chance = random.Random(1)  # noqa: S311 - no secrets
    for _ in range(3):
        running = subprocess.Popen([*PLANTSTORE, "migrate"], env=newer.environ, cwd=newer.folder)
        with suppress(subprocess.TimeoutExpired):
            running.wait(chance.uniform(0.1, 1.0))
        running.kill()
        running.wait()
        newer.out("migrate", "--dry-run")
    newer.out("migrate")
    assert_serves(newer)
