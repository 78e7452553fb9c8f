"""One store is copied repeatedly into a database with other stores, which do not change."""

from contextlib import closing
from pathlib import Path

import pytest

from plantstore.core.errors import SetupError
from plantstore.core.model import Role
from tests.administration import open_administration
from tests.contents import contents, select
from tests.databases import execute
from tests.features.transfer.copying.copies import copy
from tests.features.transfer.copying.fixtures import fill
from tests.service import Service

# `test_copy` covers all pairs.
pytestmark = pytest.mark.parametrize(
    "pair", [("sqlite", "postgres"), ("postgres", "sqlite")], indirect=True, ids="-to-".join
)

STORE = "nursery"
THIS = f"store_id = (SELECT store_id FROM stores WHERE name = '{STORE}')"


@pytest.fixture
def cell(target: str, tmp_path: Path) -> str:
    """A database with other users, who have the ids of the source's users, and another store."""
    folder = tmp_path / "cell"
    folder.mkdir()
    with closing(open_administration(target)) as administration:
        for number in range(10):
            administration.create_user(f"stranger-{number}")
    # A cell has a range of store ids of its own.
    execute(target, "INSERT INTO stores (store_id, name, created_at) VALUES (1000, 'other', 0)")
    execute(target, "INSERT INTO revisions (store_id) VALUES (1000)")
    if target.startswith("postgres"):
        execute(target, "SELECT setval(pg_get_serial_sequence('stores', 'store_id'), 1000)")
    return target


def test_a_copied_store_is_served_in_its_new_cell_with_its_tokens(
    source: str, cell: str, tmp_path: Path
) -> None:
    filled = fill(tmp_path, source)
    (tmp_path / "there").mkdir()
    others = select(cell, "SELECT * FROM stores")
    copied = copy(source, cell, STORE)
    assert copied["plants"] == len(select(source, f"SELECT 1 FROM plants WHERE {THIS}"))
    with (
        Service(tmp_path, database=source) as here,
        Service(tmp_path / "there", database=cell) as there,
    ):
        with (
            here.client(filled.tokens.owner) as client,
            there.client(filled.tokens.owner) as other_client,
        ):
            assert there.events(STORE) == here.events(STORE)
            for path in ("/plants?include=id", "/me"):
                original, copied_response = client.get(path), other_client.get(path)
                assert copied_response.status_code == 200
                assert copied_response.json() == original.json()
            assert other_client.post("/plants", json={"id": 99, "name": "Fern"}).is_success
        for token, status in ((filled.tokens.revoked, 401), (filled.tokens.expired, 401)):
            with there.client(token) as client:
                assert client.get("/plants").status_code == status
        with there.client(filled.tokens.reader) as client:
            assert client.post("/plants", json={"id": 98, "name": "Fern"}).status_code == 403
        assert there.make_token("new")  # the next ids are free
    assert set(others) < set(select(cell, "SELECT * FROM stores"))
    assert len(select(cell, "SELECT DISTINCT store_id FROM plants")) == 1


def test_a_repeated_copy_writes_later_changes(source: str, cell: str, tmp_path: Path) -> None:
    filled = fill(tmp_path, source)
    copy(source, cell, STORE)
    with Service(tmp_path, database=source) as service:
        with service.client(filled.tokens.owner) as client:
            assert client.delete("/plants/0").status_code == 204
            assert client.put("/plants/-1", json={"name": "replaced"}).status_code == 200
            for plant_id in (100, 101):
                assert client.post("/plants", json={"id": plant_id, "name": "new"}).is_success
            assert client.delete("/plants/100").status_code == 204
        service.make_token(STORE, "somebody new", role=Role.READER)
        service.revoke(filled.tokens.reader)  # the changed token is copied again
    copied = copy(source, cell, STORE)
    assert copied == {
        "plants": 2,
        "removed plants": 1,
        "events": 5,
        "users": 1,
        "tokens": 2,
        "members": 1,
        "idempotency keys": copied["idempotency keys"],
    }
    for table in ("plants", "events"):
        of_store = f"SELECT * FROM {table} WHERE {THIS}"
        columns = slice(0, 6)  # the ids of users differ
        original, copied_rows = (
            [row[columns] for row in select(url, of_store)] for url in (source, cell)
        )
        assert sorted(map(str, original)) == sorted(map(str, copied_rows))


def test_events_of_a_deleted_user_do_not_get_another_author(
    source: str, cell: str, tmp_path: Path
) -> None:
    fill(tmp_path, source)
    # In the cell, 9 is the id of a stranger.
    execute(source, f"UPDATE events SET user_id = 9 WHERE {THIS}")
    for _ in range(2):
        copy(source, cell, STORE)
    authors = f"SELECT subject FROM events LEFT JOIN users USING (user_id) WHERE {THIS}"
    assert set(select(cell, authors)) == {(None,)}


def test_another_store_of_the_same_name_is_not_changed(
    source: str, cell: str, tmp_path: Path
) -> None:
    fill(tmp_path, source)
    execute(cell, f"UPDATE stores SET name = '{STORE}' WHERE name = 'other'")
    before = contents(cell)
    with pytest.raises(SetupError, match=f"the store '{STORE}' with the number 1000"):
        copy(source, cell, STORE)
    assert contents(cell) == before


def test_a_deleted_store_is_not_brought_back_by_an_outdated_copy(
    source: str, cell: str, tmp_path: Path
) -> None:
    filled = fill(tmp_path, source)
    copy(source, cell, STORE)
    (store_id,) = select(source, f"SELECT store_id FROM stores WHERE name = '{STORE}'")[0]
    (revision,) = select(source, f"SELECT revision FROM revisions WHERE {THIS}")[0]
    with closing(open_administration(cell)) as administration:
        administration.delete_store(STORE)
    execute(cell, f"INSERT INTO deleted_stores VALUES ({store_id}, {revision})")
    advice = "run `plantstore restore BACKUP --store nursery`.* `plantstore store create nursery`"
    with pytest.raises(SetupError, match=f"has deleted the store 'nursery' at revision.*{advice}"):
        copy(source, cell, STORE)
    assert select(cell, f"SELECT * FROM stores WHERE store_id = {store_id}") == []
    with Service(tmp_path, database=source) as here, here.client(filled.tokens.owner) as client:
        assert client.post("/plants", json={"id": 99, "name": "Fern"}).is_success
    assert copy(source, cell, STORE)["plants"]
    assert select(cell, f"SELECT revision FROM revisions WHERE {THIS} AND revision > {revision}")
