"""A copy is repeated after an interruption, for nothing, or because the source has changed."""

import random
from contextlib import closing
from pathlib import Path

import pytest

from plantstore.databases import open_session
from plantstore.errors import SetupError
from plantstore.features.backups.renewing import renew_revisions
from plantstore.features.transfer.copying.opening import open_copy
from plantstore.model import Role
from plantstore.sql import tables
from tests.administration import open_administration
from tests.cli.program import Program
from tests.copying.contents import contents, seed, select
from tests.copying.copies import PAGE_ROWS, copy, copy_until_killed
from tests.copying.fixtures import Filled
from tests.databases import execute
from tests.service import Service

pytestmark = pytest.mark.parametrize(
    "pair", [("sqlite", "postgres"), ("postgres", "sqlite")], indirect=True, ids="-to-".join
)

_SEEDED = 6 * PAGE_ROWS
# Before it: a user, a store, its revision, six pages of plants, a page of events with a revision.
_SECOND_PAGE_OF_EVENTS = 12


def test_a_copy_killed_again_and_again_ends_complete(
    program: Program, source: str, target: str
) -> None:
    seed(source, _SEEDED)
    numbers = random.Random(1).choices(range(1, 8), k=4)  # noqa: S311 - no secrets
    for number in numbers:
        copy_until_killed(program, source, target, number)
        assert contents(target) != contents(source)
    copy(source, target)
    assert contents(target) == contents(source)
    assert copy(source, target) == {}


@pytest.mark.parametrize("write", [5, _SECOND_PAGE_OF_EVENTS])
def test_an_interrupted_copy_goes_on_with_a_source_that_has_changed(
    program: Program, source: str, target: str, tmp_path: Path, write: int
) -> None:
    seed(source, _SEEDED)
    copy_until_killed(program, source, target, write)
    copied = select(target, "SELECT id FROM plants ORDER BY id LIMIT 2")
    assert len(copied) == 2
    has_events = bool(select(target, "SELECT 1 FROM events"))
    assert has_events is (write == _SECOND_PAGE_OF_EVENTS)
    with (
        Service(tmp_path, database=source) as service,
        service.client(service.make_token("seeded")) as client,
    ):
        for (plant_id,) in copied:
            assert client.delete(f"/plants/{plant_id}").status_code == 204
        replaced = {"id": copied[0][0], "name": "another"}
        assert client.post("/plants", json=replaced).status_code == 200
    copy(source, target)
    assert contents(target) == contents(source)


def test_a_copy_is_updated(filled: Filled, source: str, target: str, tmp_path: Path) -> None:
    copy(filled.url, source)
    copy(source, target)
    assert copy(source, target) == {}
    with Service(tmp_path, database=source) as service:
        with service.client(filled.tokens.owner) as client:
            assert client.delete("/plants/8").status_code == 204
            assert client.post("/plants", json={"id": 8, "name": "third"}).status_code == 200
            assert client.delete("/plants/0").status_code == 204
            key = {"Idempotency-Key": "later"}
            later = {"id": 99, "name": "later"}
            assert client.post("/plants", json=later, headers=key).status_code == 200
        service.revoke(filled.tokens.reader)
        service.make_token("later", "later")
    with closing(open_administration(source)) as administration:
        administration.add_member("empty", "kiosk", Role.READER)
        administration.rotate_token(filled.tokens.everywhere, 3_600_000)
    written = copy(source, target)
    assert written["deleted plants"] == 2
    assert written["ended tokens"] == 2
    assert contents(target) == contents(source)
    assert copy(source, target) == {}


def test_a_source_that_changes_meanwhile_is_copied_as_it_was(
    source: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "PAGE_ROWS", PAGE_ROWS)
    seed(source, _SEEDED)
    with (
        Service(tmp_path, database=source) as service,
        service.client(service.make_token("seeded")) as client,
    ):
        before = contents(source)
        with open_copy(source, target) as copying:
            copying.check()
            steps = copying.write()
            for number, _ in enumerate(steps):
                assert client.post("/plants", json={"id": 2 * number + 1, "name": "x"}).is_success
            sum(copying.verify())
        assert number > 6
    assert contents(target) == before
    copy(source, target)
    assert contents(target) == contents(source) != before


def test_a_copy_follows_what_the_source_has_trimmed(source: str, target: str) -> None:
    seed(source, PAGE_ROWS)
    copy(source, target)
    with closing(open_session(source)) as session, session.transaction():
        ((store_id, *_),) = session.query("find_store", "seeded")
        session.query("delete_events_before", store_id, 100)
        session.query("set_store", store_id, 1000, 99)
    copy(source, target)
    assert contents(target) == contents(source)
    assert copy(source, target) == {}


def delete_one(folder: Path, url: str) -> None:
    """Delete the seeded plant with the lowest id through the service."""
    ((plant_id,),) = select(url, "SELECT min(id) FROM plants")
    with (
        Service(folder, database=url) as service,
        service.client(service.make_token("seeded")) as client,
    ):
        assert client.delete(f"/plants/{plant_id}").status_code == 204


@pytest.mark.parametrize("diverged", [False, True])
def test_a_restored_source_is_copied_unless_the_target_has_what_was_lost(
    source: str, target: str, tmp_path: Path, *, diverged: bool
) -> None:
    seed(source, 10)
    copy(source, target)
    if diverged:
        delete_one(tmp_path, source)
        copy(source, target)
        execute(source, "DELETE FROM events WHERE revision > $1", [(10,)])
    with closing(open_session(source)) as session:
        renew_revisions(session)
    delete_one(tmp_path, source)
    if diverged:
        with pytest.raises(SetupError, match="to revision 11"):
            copy(source, target)
        return
    copy(source, target)
    assert contents(target) == contents(source)
