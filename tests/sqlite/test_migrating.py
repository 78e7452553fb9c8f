"""``plantstore migrate`` moves an older schema, and says what it would do."""

from contextlib import closing
from pathlib import Path

import apsw

from plantstore.model import Event, NewPlant
from plantstore.sql.migrations import load_migrations
from tests.administration import open_administration
from tests.cli.program import Program
from tests.next_version import NEWEST
from tests.service import Service


def make_first_schema(path: Path) -> None:
    """Make a database of the first version, with a store of two plants."""
    first = load_migrations("plantstore.sqlite")[0]
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(first.sql)
        connection.execute(
            "CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, "
            "checksum TEXT NOT NULL, oldest INTEGER NOT NULL, applied_at INTEGER NOT NULL) STRICT"
        )
        recorded = (first.number, first.name, first.checksum)
        connection.execute("INSERT INTO schema_migrations VALUES (?, ?, ?, 1, 0)", recorded)
        connection.execute("INSERT INTO stores VALUES (1, 'nursery', 3, 0)")
        connection.execute("INSERT INTO plants VALUES (1, 1, 'Ficus', NULL), (1, 2, 'Fern', 'new')")
        connection.execute(
            "INSERT INTO events VALUES (1, 1, 'plant.created', 1, 'Ficus', NULL, 5, 1, 'kiosk'), "
            "(1, 2, 'plant.created', 2, 'Fern', 'new', 6, 1, 'kiosk')"
        )


def test_the_first_schema_is_moved_to_the_newest(tmp_path: Path) -> None:
    program = Program(tmp_path)
    make_first_schema(tmp_path / "plants.db")
    refused = program.refusal("store", "list")
    assert "2 (members_by_user), 3 (tokens_by_hash), 4 (quotas_and_token_ids), " in refused
    assert program.run("migrate").out.count("applied migration") == NEWEST["sqlite"] - 1
    with closing(open_administration(program.database)) as administration:
        (store,) = administration.list_stores()
        assert (store.name, store.revision, store.plants, store.max_plants) == (
            "nursery",
            3,
            2,
            None,
        )
        fern = NewPlant(2, "Fern", "new")
        *_, event = administration.list_events("nursery")
        assert event == Event(2, "plant.created", fern, 6, None, "kiosk", "")


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
    assert program.data("store", "list") == []


def test_a_process_that_serves_goes_on_while_the_schema_is_looked_at(tmp_path: Path) -> None:
    with Service(tmp_path) as service, service.client(service.make_token()) as client:
        for number in range(3):
            assert Program(tmp_path).run("migrate").out == "the schema is up to date\n"
            body = {"id": number, "name": "Ficus"}
            assert client.post("/plants", json=body).is_success
        assert len(client.get("/plants").json()) == 3
