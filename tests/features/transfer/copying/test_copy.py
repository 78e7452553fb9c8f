"""A copy has all rows unchanged, and can be served."""

from pathlib import Path

from plantstore.databases import open_session
from tests.cli.program import Program
from tests.contents import contents, seed
from tests.databases import execute
from tests.features.transfer.copying.copies import copy
from tests.features.transfer.copying.fixtures import KEY, KEYED, PLANTS, Tokens, fill, list_plants
from tests.service import Service


def test_all_rows_are_copied_and_the_target_can_be_served(
    program: Program, source: str, target: str, tmp_path: Path
) -> None:
    tokens = fill(tmp_path, source).tokens
    before = contents(source)
    assert all(before.values())
    result = program.run("copy", "--from", source, "--to", target)
    assert (result.status, result.out) == (0, "")
    assert result.err.startswith("copied and verified: users: 3, stores: 3, ")
    assert f"plants: {len(before['plants'])}, " in result.err
    assert result.err.count("\n") == 1
    assert contents(target) == contents(source) == before
    with Service(tmp_path, database=target) as service:
        assert_served(service, tokens)
        new_token = service.make_token("new", "eve")
        with service.client(new_token) as client:
            assert list_plants(client) == []
            assert client.post("/plants", json=KEYED).status_code == 200
    after = contents(target)
    for table in ("stores", "users"):
        (row,) = set(after[table]) - set(before[table])
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
    open_session(source).close()  # creates a file
    assert copy(source, target) == {}
    assert not any(contents(target).values())


def test_plants_without_events_are_copied(source: str, target: str) -> None:
    """Such plants may have been inserted without the service."""
    seed(source, 100)
    execute(source, "DELETE FROM events WHERE revision > 50")
    copy(source, target)
    assert contents(target) == contents(source)
