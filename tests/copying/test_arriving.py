"""Everything arrives as it was, and the target serves."""

from pathlib import Path

from tests.cli.program import Program
from tests.copying.contents import contents, seed
from tests.copying.fixtures import KEY, KEYED, PLANTS, fill, list_plants
from tests.databases import execute
from tests.service import Service


def copy(program: Program, source: str, target: str) -> str:
    """Copy with success; what it said."""
    done = program.run("copy", "--from", source, "--to", target)
    assert (done.status, done.out) == (0, ""), done
    return done.err


def test_everything_arrives_and_serves(
    program: Program, source: str, target: str, tmp_path: Path
) -> None:
    tokens = fill(tmp_path, source)
    before = contents(source)
    assert all(before.values())
    said = copy(program, source, target)
    assert said.startswith("copied and verified: users: 3, stores: 3, ")
    assert f"plants: {len(before['plants'])}, " in said
    assert contents(target) == contents(source) == before
    with Service(tmp_path, database=target) as service:
        with service.client(tokens.owner) as client:
            after = {"id": 8, "name": "after", "tag": "new"}
            expected = sorted((*PLANTS, after, KEYED), key=lambda plant: int(str(plant["id"])))
            assert list_plants(client) == expected
            assert client.post("/plants", json=KEYED, headers=KEY).status_code == 200
            assert client.post("/plants", json=KEYED).json()["error"] == 40004
        with service.client(tokens.reader) as client:
            assert list_plants(client) == expected
            assert client.post("/plants", json={"id": 1, "name": "x"}).status_code == 403
        with service.client(tokens.everywhere) as client:
            assert client.get("/stores/meadow/plants").json() == [{"name": "Ficus"}]
            assert client.get("/stores/empty/plants").status_code == 404
        for refused in (tokens.revoked, tokens.expired):
            with service.client(refused) as client:
                assert client.get("/plants").status_code == 401


def test_new_stores_and_users_of_the_target_get_new_ids(
    program: Program, source: str, target: str, tmp_path: Path
) -> None:
    fill(tmp_path, source)
    copy(program, source, target)
    copied = contents(target)
    token = program.out("token", "create", "--store", "new", "--user", "eve", "--database", target)
    made = contents(target)
    for table in ("stores", "users"):
        (new,) = set(made[table]) - set(copied[table])
        assert new[0] not in {row[0] for row in copied[table]}
    with Service(tmp_path, database=target) as service, service.client(token) as client:
        assert list_plants(client) == []
        assert client.post("/plants", json=KEYED).status_code == 200


def test_more_than_a_page_and_a_batch_arrive(program: Program, source: str, target: str) -> None:
    seed(source, 30_001)
    copy(program, source, target)
    assert contents(target) == contents(source)


def test_an_empty_database_is_copied(program: Program, source: str, target: str) -> None:
    program.out("store", "list", "--database", source)
    said = copy(program, source, target)
    assert said == "nothing to copy: the target is up to date, which was verified\n"
    assert not any(contents(target).values())


def test_plants_without_events_arrive(program: Program, source: str, target: str) -> None:
    """As somebody may have put them in, past the service."""
    seed(source, 100)
    execute(source, "DELETE FROM events WHERE revision > 50")
    copy(program, source, target)
    assert contents(target) == contents(source)
