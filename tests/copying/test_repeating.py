"""A copy is repeated after an interruption, for nothing, or because the source has gone on."""

import random
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from plantstore.bootstrap import open_administration
from plantstore.model import NewPlant, Role
from tests.cli.program import PLANTSTORE, Program
from tests.contract.harness import replay
from tests.copying.contents import contents, seed, select
from tests.copying.fixtures import fill
from tests.copying.test_arriving import copy
from tests.faults.load import under_load, wait_until_acknowledged
from tests.service import Service

_SEEDED = 60_000
_NOTHING = "nothing to copy: the target is up to date, which was verified\n"


def copy_and_kill(program: Program, source: str, target: str, rows: int) -> None:
    """Kill a copy some time after the target has so many rows."""
    with subprocess.Popen(
        [*PLANTSTORE, "copy", "--from", source, "--to", target, "--quiet"], env=program.environ
    ) as process:
        while count_rows(target) < rows and process.poll() is None:
            time.sleep(0.001)
        time.sleep(random.uniform(0, 0.1))  # noqa: S311 - no secret
        process.kill()


def count_rows(url: str) -> int:
    """Plants and events together."""
    sql = "SELECT (SELECT count(*) FROM plants) + (SELECT count(*) FROM events)"
    ((rows,),) = select(url, sql)
    assert isinstance(rows, int)
    return rows


def test_a_copy_killed_time_and_again_ends_complete(
    program: Program, source: str, target: str
) -> None:
    seed(source, _SEEDED)
    program.out("store", "list", "--database", target)
    program.out("token", "create", "--store", "small", "--user", "bob", "--database", source)
    whole = contents(source)
    incomplete = 0
    for rows in (0, *(random.randrange(2 * _SEEDED) for _ in range(4))):  # noqa: S311
        copy_and_kill(program, source, target, rows)
        incomplete += contents(target) != whole
    assert incomplete
    copy(program, source, target)
    assert contents(target) == contents(source) == whole
    assert copy(program, source, target) == _NOTHING


@pytest.mark.parametrize("rows", [1, _SEEDED + 1])
def test_an_interrupted_copy_goes_on_with_a_source_that_has_gone_on(
    program: Program, source: str, target: str, tmp_path: Path, rows: int
) -> None:
    seed(source, _SEEDED)
    program.out("store", "list", "--database", target)
    copy_and_kill(program, source, target, rows)
    assert contents(target) != contents(source)
    copied = select(target, "SELECT id FROM plants ORDER BY id LIMIT 2")
    with Service(tmp_path, database=source) as service:
        token = service.make_token("seeded")
        with service.client(token) as client:
            for (plant_id,) in copied:
                assert client.delete(f"/plants/{plant_id}").status_code == 204
            replaced = {"id": copied[0][0], "name": "another"}
            assert client.post("/plants", json=replaced).status_code == 200
    copy(program, source, target)
    assert contents(target) == contents(source)


def test_a_copy_is_brought_up_to_date(
    program: Program, source: str, target: str, tmp_path: Path
) -> None:
    tokens = fill(tmp_path, source)
    copy(program, source, target)
    assert copy(program, source, target) == _NOTHING
    with Service(tmp_path, database=source) as service:
        with service.client(tokens.owner) as client:
            assert client.delete("/plants/8").status_code == 204
            assert client.post("/plants", json={"id": 8, "name": "third"}).status_code == 200
            assert client.delete("/plants/0").status_code == 204
            key = {"Idempotency-Key": "later"}
            later = {"id": 99, "name": "later"}
            assert client.post("/plants", json=later, headers=key).status_code == 200
        service.revoke(tokens.reader)
        service.make_token("later", "later")
    with closing(open_administration(source)) as administration:
        administration.add_member("empty", "kiosk", Role.READER)
    said = copy(program, source, target)
    assert "deleted plants: 2" in said
    assert "revoked tokens: 1" in said
    assert contents(target) == contents(source)
    assert copy(program, source, target) == _NOTHING


def test_a_source_that_is_being_written_to_gives_one_moment_of_it(
    program: Program, source: str, target: str, tmp_path: Path
) -> None:
    seed(source, _SEEDED // 3)
    with Service(tmp_path, database=source) as service:
        token = service.make_token("seeded")
        with under_load(service, token) as load_clients:
            wait_until_acknowledged(load_clients, 20)
            before = len(service.events("seeded"))
            copy(program, source, target)
            wait_until_acknowledged(
                load_clients,
                sum(len(load_client.acknowledged) for load_client in load_clients) + 20,
            )
        after = service.events("seeded")
    with closing(open_administration(target)) as administration:
        copied = list(administration.list_events("seeded"))
        (store,) = administration.list_stores()
    assert before <= len(copied) < len(after)
    assert copied == after[: len(copied)]
    assert store.revision == len(copied)
    plants = select(target, "SELECT id, name, tag FROM plants ORDER BY id")
    assert [NewPlant(*row) for row in plants] == replay(copied)  # type: ignore[arg-type]
    copy(program, source, target)
    assert contents(target) == contents(source)
