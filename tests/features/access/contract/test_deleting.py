"""A store that is deleted goes in parts: its remains have another revision."""

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

PLANTS = 5001  # more than one part


def interrupt(session: Session, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Ctrl-C come at the second query of this name."""
    query = session.query
    left = 2

    def count(asked: str, *arguments: object) -> "list[Row]":
        nonlocal left
        left -= asked == name
        if not left:
            raise KeyboardInterrupt
        return list(query(asked, *arguments))

    monkeypatch.setattr(session, "query", count)


async def test_an_interrupted_deletion_leaves_another_revision(
    url: str, harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what was remembered of the store, as a list or an entity tag, would still hold."""
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
