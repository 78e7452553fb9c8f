"""A copy is repeated after an interruption, without changes, or after changes of the source."""

import random
import signal
from contextlib import closing
from pathlib import Path

import pytest

from plantstore.core.errors import SetupError
from plantstore.core.model import Role
from plantstore.databases import open_session
from plantstore.features.transfer import copying as rows
from plantstore.features.transfer import tables
from plantstore.features.transfer.copying import open_copy
from tests.administration import open_administration
from tests.cli.program import Program
from tests.contents import contents, seed, select
from tests.databases import execute
from tests.features.transfer.copying.copies import copy
from tests.features.transfer.copying.fixtures import Filled
from tests.features.transfer.stopping import MAX_ROWS, PAGE_ROWS, run_stopped
from tests.service import Service

pytestmark = pytest.mark.parametrize(
    "pair", [("sqlite", "postgres"), ("postgres", "sqlite")], indirect=True, ids="-to-".join
)

_SEEDED = 6 * PAGE_ROWS
# Earlier writes: a user, a store, its revision, a key, six pages of plants, a page of events.
_SECOND_PAGE_OF_EVENTS = 12


def copy_until_killed(program: Program, source: str, target: str, write: int) -> None:
    killed = run_stopped(program, write, signal.SIGKILL, "copy", "--from", source, "--to", target)
    assert killed.returncode == -signal.SIGKILL


def test_a_copy_that_is_killed_repeatedly_can_be_completed(
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


def test_an_interrupted_copy_continues_with_a_changed_source(
    program: Program, source: str, target: str, tmp_path: Path
) -> None:
    seed(source, _SEEDED)
    copy_until_killed(program, source, target, _SECOND_PAGE_OF_EVENTS)
    copied = select(target, "SELECT id FROM plants ORDER BY id LIMIT 2")
    assert len(copied) == 2
    assert len(select(target, "SELECT 1 FROM events")) == PAGE_ROWS
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


def test_a_killed_repeated_copy_continues(
    program: Program, source: str, target: str, tmp_path: Path
) -> None:
    seed(source, 10)
    copy(source, target)
    later = "".join(f"{number},Later\n" for number in range(1, 4 * PAGE_ROWS, 2))
    (tmp_path / "later.csv").write_text(f"id,name\n{later}")
    program.out("--database", source, "import", "later.csv", "--store", "seeded")
    execute(source, "UPDATE idempotency_keys SET key = 'later'")
    copy_until_killed(program, source, target, 7)
    assert len(select(target, "SELECT 1 FROM events")) == 10
    copy(source, target)
    assert contents(target) == contents(source)
    assert copy(source, target) == {}


def test_a_repeated_copy_writes_only_what_has_changed(
    filled: Filled, source: str, target: str, tmp_path: Path
) -> None:
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
    assert (written["plants"], written["tokens"]) == (2, 4)
    assert contents(target) == contents(source)
    assert copy(source, target) == {}


def test_a_source_that_changes_meanwhile_is_copied_as_one_snapshot(
    source: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (tables, rows):
        monkeypatch.setattr(module, "PAGE_ROWS", PAGE_ROWS)
    monkeypatch.setattr(rows, "MAX_ROWS", MAX_ROWS)
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


def test_a_repeated_copy_deletes_events_trimmed_in_the_source(source: str, target: str) -> None:
    seed(source, PAGE_ROWS)
    copy(source, target)
    with closing(open_session(source)) as session, session.transaction():
        ((store_id, *_),) = session.query("find_store", "seeded")
        session.query("set_store", store_id, PAGE_ROWS, 1000, 99)
    execute(source, "DELETE FROM events WHERE store_id = $1 AND revision < $2", [(store_id, 100)])
    copy(source, target)
    assert contents(target) == contents(source)
    assert copy(source, target) == {}


def test_a_repeated_copy_resets_the_members_of_the_target(
    filled: Filled, source: str, target: str
) -> None:
    copy(filled.url, source)
    copy(source, target)
    with closing(open_administration(target)) as administration:
        administration.add_member("empty", "ada", Role.READER)
        administration.add_member("nursery", "kiosk", Role.EDITOR)
    assert copy(source, target) == {"removed members": 1, "members": 1}
    assert contents(target) == contents(source)


def test_a_restored_source_is_refused(source: str, target: str) -> None:
    """The target may have changes that were made after the backup."""
    seed(source, 10)
    copy(source, target)
    execute(source, "UPDATE revisions SET revision = 1000, trimmed = 1000")
    with pytest.raises(SetupError, match="the store 'seeded' with the number 1, at revision 10"):
        copy(source, target)
