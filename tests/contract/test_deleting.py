"""A store that is deleted goes in parts: what is left of it in between is told from what it was."""

from contextlib import closing

import pytest

from plantstore.bootstrap import open_session
from plantstore.model import PlantQuery
from plantstore.sql.administration import Administration
from plantstore.sql.session import Row, Session
from tests.contract.garden import Garden
from tests.databases import execute

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
    url: str, garden: Garden, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what was remembered of the store, as a list or an entity tag, would still hold."""
    rows = [(garden.store_id, number, "Fern") for number in range(PLANTS)]
    execute(url, "INSERT INTO plants (store_id, id, name) VALUES ($1, $2, $3)", rows)
    before = await garden.read_page(PlantQuery())
    with closing(open_session(url)) as session:
        interrupt(session, "delete_plants_of_store", monkeypatch)
        with pytest.raises(KeyboardInterrupt):
            Administration(session).delete_store("nursery")
    after = await garden.read_page(PlantQuery())
    assert after.count < before.count == PLANTS
    assert after.revision > before.revision
    garden.administration.delete_store("nursery")
    assert garden.administration.list_stores() == []
