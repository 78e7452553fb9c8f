"""Everything arrives as it was, and the target serves."""

from pathlib import Path

from plantstore.databases import open_session
from tests.cli.program import Program
from tests.contents import contents, seed
from tests.databases import execute
from tests.features.transfer.copying.copies import copy
from tests.features.transfer.copying.fixtures import KEY, KEYED, PLANTS, Tokens, fill, list_plants
from tests.service import Service


def test_everything_arrives_and_serves(
    program: Program, source: str, target: str, tmp_path: Path
) -> None:
    tokens = fill(tmp_path, source).tokens
    before = contents(source)
    assert all(before.values())
    done = program.run("copy", "--from", source, "--to", target)
    assert (done.status, done.out) == (0, "")
    assert done.err.startswith("copied and verified: users: 3, stores: 3, ")
    assert f"plants: {len(before['plants'])}, " in done.err
    assert done.err.count("\n") == 1
    assert contents(target) == contents(source) == before
    with Service(tmp_path, database=target) as service:
        assert_served(service, tokens)
        new = service.make_token("new", "eve")
        with service.client(new) as client:
            assert list_plants(client) == []
            assert client.post("/plants", json=KEYED).status_code == 200
    made = contents(target)
    for table in ("stores", "users"):
        (row,) = set(made[table]) - set(before[table])
        assert row[0] not in {row[0] for row in before[table]}


def assert_served(service: Service, tokens: Tokens) -> None:
    """Fail unless the tokens work as they did on the source."""
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
        assert service.status_of(refused) == 401


def test_an_empty_database_is_copied(source: str, target: str) -> None:
    open_session(source).close()  # which makes a file
    assert copy(source, target) == {}
    assert not any(contents(target).values())


def test_plants_without_events_arrive(source: str, target: str) -> None:
    """As somebody may have inserted them, not through the service."""
    seed(source, 100)
    execute(source, "DELETE FROM events WHERE revision > 50")
    copy(source, target)
    assert contents(target) == contents(source)
