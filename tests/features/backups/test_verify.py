"""``plantstore verify``: consistent data passes, and each mismatch is named."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from plantstore.databases import open_session
from plantstore.features.backups.restore import renew_revisions
from plantstore.features.backups.verifying import MAX_MISMATCHES
from tests.administration import open_administration
from tests.cli.program import Program
from tests.cli.test_check import unchanged
from tests.contents import seed
from tests.databases import execute
from tests.faults.load import under_load, wait_until_acknowledged
from tests.http.calls import create_in
from tests.next_version import next_program
from tests.service import Service

COUNT = 40
INSERT_EVENT = (
    "INSERT INTO events (store_id, revision, kind, plant_id, name, tag, at, user_id, token_label)"
)


@pytest.fixture
def seeded(url: str, tmp_path: Path) -> Program:
    """The program with a database of each kind, whose store has plants with ids from -280 on."""
    seed(url, COUNT)
    return Program(tmp_path, {"PLANTSTORE_DATABASE": url})


def mismatches(program: Program) -> list[tuple[object, ...]]:
    """The mismatches that ``verify`` reports as JSON; its text must report as many."""
    result = program.run("verify", "--json")
    report = result.data()
    assert result.status == int(bool(report["mismatches"])) == int(not report["ok"])
    text = program.run("verify")
    assert text.status == result.status
    assert text.err.count("Error: ") == len(report["mismatches"]) + report["more"]
    return [
        (mismatch["store"], mismatch["id"], mismatch["what"]) for mismatch in report["mismatches"]
    ]


def test_repair_corrects_counts_while_the_service_runs(seeded: Program) -> None:
    with Service(seeded.folder, database=seeded.database) as service:
        with service.administration() as administration:
            store = administration.list_stores()[0].name
        with service.client(service.make_token(store)) as client:
            execute(seeded.database, "UPDATE revisions SET plants = 41, max_plants = 41")
            before = client.get("/plants")
            assert before.headers["x-total-count"] == "41"
            repaired = seeded.run("verify", "--repair")
            assert repaired.status == 0
            assert "it has 40 plants, and counts 41" in repaired.err
            after = client.get("/plants", headers={"If-None-Match": before.headers["etag"]})
            assert after.headers["x-total-count"] == "40"
            assert client.post("/plants", json={"id": 1, "name": "Fern"}).is_success
    execute(seeded.database, "UPDATE plants SET name = 'x' WHERE id = 1")
    assert "it differs from its last event" in seeded.refusal("verify", "--repair")


def test_a_repair_fails_if_other_mismatches_remain(seeded: Program) -> None:
    execute(
        seeded.database,
        f"{INSERT_EVENT} SELECT 1, {2**60}, 'plant.deleted', 9, 'x', NULL, 0, 0, ''",
    )
    assert f"the last at {2**60}" in seeded.refusal("verify", "--repair")


def test_consistent_data_passes_and_is_counted(seeded: Program) -> None:
    assert seeded.out("verify") == f"ok: stores: 1, plants: {COUNT}, events: {COUNT}"
    assert mismatches(seeded) == []


@pytest.mark.parametrize(
    ("sql", "mismatch"),
    [
        ("UPDATE revisions SET plants = 41", (None, "it has 40 plants, and counts 41")),
        (
            "UPDATE revisions SET revision = 41",
            (None, "it has 40 events after revision 0, the last at 40, and is at revision 41"),
        ),
        (
            (
                "DELETE FROM events WHERE revision = 7; UPDATE revisions SET plants = 39; "
                "DELETE FROM plants WHERE id = -196"
            ),
            (None, "it has 39 events after revision 0, the last at 40, and is at revision 40"),
        ),
        (
            "DELETE FROM plants WHERE id = -266; UPDATE revisions SET plants = 39",
            (-266, "it is missing, though its last event (revision 2) does not delete it"),
        ),
        (
            "UPDATE events SET kind = 'plant.deleted' WHERE revision = 2",
            (-266, "it is there, though its last event (revision 2) deletes it"),
        ),
        (
            "UPDATE plants SET name = 'x' WHERE id = -266",
            (-266, "it differs from its last event (revision 2)"),
        ),
        (
            "UPDATE plants SET tag = NULL WHERE id = -266",
            (-266, "it differs from its last event (revision 2)"),
        ),
        (
            (
                "UPDATE events SET plant_id = -280 WHERE revision = 2; "
                "UPDATE plants SET name = 'Plant -266', tag = 'tag-4' WHERE id = -280"
            ),
            (-266, "it has no event, though none was trimmed"),
        ),
    ],
)
def test_each_mismatch_is_named(seeded: Program, sql: str, mismatch: tuple[object, str]) -> None:
    for statement in sql.split("; "):
        execute(seeded.database, statement)
    assert mismatches(seeded) == [("seeded", *mismatch)]


def test_only_the_first_of_many_mismatches_are_named(seeded: Program) -> None:
    execute(seeded.database, "UPDATE plants SET name = 'x'")
    assert len(mismatches(seeded)) == MAX_MISMATCHES


def test_trimmed_events_and_a_restore_are_not_mismatches(seeded: Program) -> None:
    url = seeded.database
    execute(url, "DELETE FROM events WHERE revision <= 10")
    execute(url, "UPDATE revisions SET trimmed = 10")
    assert mismatches(seeded) == []
    with closing(open_session(url)) as session:
        renew_revisions(session)
    assert mismatches(seeded) == []
    execute(url, "DELETE FROM events")
    assert mismatches(seeded) == []


def test_plants_without_events_are_found_after_a_store_was_deleted(seeded: Program) -> None:
    seeded.make_store("second")
    with closing(open_administration(seeded.database)) as administration:
        administration.delete_store("seeded")
    seeded.make_store("third")
    create_in(seeded.folder, seeded.database, "third", 7)
    assert mismatches(seeded) == []
    execute(seeded.database, "INSERT INTO plants (store_id, id, name) VALUES (3, 8, 'Moss')")
    execute(seeded.database, "UPDATE revisions SET plants = 2 WHERE store_id = 3")
    assert mismatches(seeded) == [("third", 8, "it has no event, though none was trimmed")]


def test_a_busy_service_is_verified_in_one_snapshot(url: str, tmp_path: Path) -> None:
    with Service(tmp_path, database=url) as service:
        token = service.make_token()
        program = Program(tmp_path, {"PLANTSTORE_DATABASE": url})
        with under_load(service, token) as load_clients:
            for _ in range(3):
                wait_until_acknowledged(load_clients, 30)
                assert mismatches(program) == []
        assert not any(client.refusals for client in load_clients)


def test_a_backup_is_verified_unchanged_and_corruption_is_found(program: Program) -> None:
    backup = program.folder / "backups" / "plants.backup"
    backup.parent.mkdir()
    program.out("backup", str(backup))
    backup.chmod(0o400)
    with unchanged(backup.parent):
        program.out("--database", f"sqlite:///{backup}", "verify")
    with closing(apsw.Connection(str(backup))) as connection:
        query = "SELECT rootpage FROM sqlite_schema WHERE name = 'plants_by_tag'"
        begin = 4096 * (connection.execute(query).get - 1)
    content = bytearray(backup.read_bytes())
    content[begin : begin + 4096] = bytes(4096)
    backup.chmod(0o600)
    backup.write_bytes(content)
    assert "the file is corrupt: " in program.refusal("--database", f"sqlite:///{backup}", "verify")


def test_an_older_schema_is_refused(program: Program) -> None:
    assert "schema is older" in next_program(program).refusal("verify")
