"""``plantstore migrate`` makes a file, and says what it would do."""

from pathlib import Path

from tests.cli.program import Program
from tests.service import Service


def test_a_dry_run_makes_no_file(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.run("migrate", "--dry-run")
    assert list(tmp_path.iterdir()) == []


def test_quiet_says_nothing(tmp_path: Path) -> None:
    done = Program(tmp_path).run("migrate", "--quiet")
    assert (done.status, done.out, done.err) == (0, "", "")


def test_migrating_makes_a_database_that_is_missing(tmp_path: Path) -> None:
    program = Program(tmp_path)
    done = program.run("migrate")
    assert done.err == f"created the database {tmp_path / 'plants.db'}\n"
    assert done.out.startswith("applied migration 1 (initial)\n")
    assert program.data("token", "list") == []


def test_a_process_that_serves_goes_on_while_the_schema_is_looked_at(tmp_path: Path) -> None:
    with Service(tmp_path) as service, service.client(service.make_token()) as client:
        for number in range(3):
            assert Program(tmp_path).run("migrate").out == "the schema is up to date\n"
            body = {"id": number, "name": "Ficus"}
            assert client.post("/plants", json=body).is_success
        assert len(client.get("/plants").json()) == 3
