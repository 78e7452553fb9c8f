"""``plantstore distribute`` refuses a database without Citus, and does not change it."""

from pathlib import Path

from tests.cli.program import Program
from tests.postgres.server import PostgresServer


def test_a_server_without_citus_is_refused(tmp_path: Path) -> None:
    with PostgresServer(tmp_path / "server") as server:
        program = Program(tmp_path, {"PLANTSTORE_DATABASE": server.make_database()})
        assert "it has no Citus: CREATE EXTENSION citus" in program.refusal("distribute")
        assert "the database has no tables yet: run `" in program.refusal("token", "list")


def test_a_sqlite_database_is_refused(tmp_path: Path) -> None:
    program = Program(tmp_path, {}).with_database()
    assert "Citus can distribute only a PostgreSQL database" in program.refusal("distribute")
