"""A store is deleted in several transactions: an interruption raises its revision."""

from contextlib import closing

import pytest

from plantstore.core.database import Row
from plantstore.core.model import PlantQuery
from plantstore.databases import open_session
from plantstore.sql.session import Session
from tests.contract.harness import DatabaseHarness
from tests.databases import execute
from tests.features.access.administration import Administration

pytestmark = pytest.mark.anyio

PLANTS = 5001  # more than one transaction deletes


def interrupt(session: Session, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise ``KeyboardInterrupt`` at the second query of this name."""
    query = session.query
    remaining = 2

    def count(query_name: str, *arguments: object) -> "list[Row]":
        nonlocal remaining
        remaining -= query_name == name
        if not remaining:
            raise KeyboardInterrupt
        return list(query(query_name, *arguments))

    monkeypatch.setattr(session, "query", count)


async def test_an_interrupted_deletion_raises_the_revision(
    url: str, harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise cached lists and entity tags of the store would stay valid."""
    rows = [(harness.store_id, number, "Fern") for number in range(PLANTS)]
    execute(url, "INSERT INTO plants (store_id, id, name) VALUES ($1, $2, $3)", rows)
    before = await harness.read_page(PlantQuery())
    with closing(open_session(url)) as session:
        interrupt(session, "delete_plants_of_store", monkeypatch)
        with pytest.raises(KeyboardInterrupt):
            Administration(session).delete_store("nursery")
    after = await harness.read_page(PlantQuery())
    assert after.count < before.count == PLANTS
    assert after.revision > before.revision
    harness.administration.delete_store("nursery")
    assert harness.administration.list_stores() == []
    with closing(open_session(url)) as session:
        ((revision,),) = session.query("find_deleted_store", harness.store_id)
    assert revision >= after.revision
