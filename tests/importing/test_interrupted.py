"""An import that is killed, interrupted or overtaken: nothing half is ever told as done."""

import signal
import subprocess
import sys
from contextlib import closing

import httpx
import pytest

from plantstore.bootstrap import open_session, open_staging
from plantstore.errors import IdTakenError, PlantStoreError, SetupError
from plantstore.sql.importing import importing
from plantstore.sql.importing.store import ImportStore
from tests.cli.program import Program
from tests.contract.harness import replay
from tests.copying.fixtures import list_plants
from tests.importing.stopping import AT, PORTION_ROWS, SIGNAL
from tests.service import Service

COUNT = 10 * PORTION_ROWS
NAMES = [f"Plant {number}" for number in range(1, COUNT + 1)]
ROWS = [{"id": number, "name": name} for number, name in enumerate(NAMES, 1)]
WITHOUT_IDS = "name\n" + "\n".join(NAMES)
WITH_IDS = "id,name\n" + "\n".join(f"{row['id']},{row['name']}" for row in ROWS)
# A portion is two writes: of plants, and of events.
FOURTH_PORTION, ITS_EVENTS = 7, 8


def stop_import(
    program: Program, store: str, text: str, write: int | str, stop: signal.Signals, *options: str
) -> subprocess.CompletedProcess[str]:
    (program.folder / "plants.csv").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "tests.importing.stopping", "import"]
    environ = program.environ | {AT: str(write), SIGNAL: str(int(stop))}
    return subprocess.run(
        [*command, str(program.folder / "plants.csv"), "--store", store, *options],
        check=False,
        env=environ,
        capture_output=True,
        text=True,
    )


def assert_events_explain_the_plants(service: Service, store: str) -> None:
    events = service.events(store)
    with service.administration() as administration:
        (found,) = (one for one in administration.list_stores() if one.name == store)
    begin = found.revision - len(events)
    assert [event.revision - begin for event in events] == list(range(1, len(events) + 1))
    assert found.plants == len(replay(events))


@pytest.mark.parametrize(
    ("write", "assigns"),
    [(2, False), (FOURTH_PORTION, False), (ITS_EVENTS, True), (20, False), (20, True)],
)
def test_a_killed_import_goes_on_where_it_stopped(
    program: Program,
    service: Service,
    *,
    store: str,
    client: httpx.Client,
    write: int,
    assigns: bool,
) -> None:
    text, options = (WITHOUT_IDS, ["--assign-ids"]) if assigns else (WITH_IDS, [])
    killed = stop_import(program, store, text, write, signal.SIGKILL, *options)
    assert (killed.returncode, killed.stdout + killed.stderr) == (-signal.SIGKILL, "")
    written = (write - 1) // 2 * PORTION_ROWS
    assert list_plants(client) == ROWS[:written]
    file = str(program.folder / "plants.csv")
    summary = program.data("import", file, "--store", store, *options)
    assert (summary["resumed"], summary["imported"]) == (written, COUNT - written)
    assert list_plants(client) == ROWS
    assert_events_explain_the_plants(service, store)


def test_what_a_killed_import_has_written_can_be_removed(
    program: Program, service: Service, store: str, client: httpx.Client
) -> None:
    stop_import(program, store, WITH_IDS, FOURTH_PORTION, signal.SIGKILL)
    (program.folder / "other.csv").write_text("id,name\n1000,Other\n")
    refused = program.refusal("import", "other.csv", "--store", store)
    assert f"`plantstore import --store {store} --undo`" in refused
    # Who has changed a plant since, means it.
    assert client.delete("/plants/1").status_code == 204
    assert client.post("/plants", json=ROWS[0]).status_code == 200
    assert client.delete("/plants/2").status_code == 204
    program.out("import", "--store", store, "--undo")
    assert list_plants(client) == ROWS[:1]
    assert_events_explain_the_plants(service, store)
    program.out("import", "other.csv", "--store", store)


@pytest.mark.parametrize(
    ("write", "stop"),
    [(3, signal.SIGINT), (FOURTH_PORTION, signal.SIGTERM), (ITS_EVENTS, signal.SIGINT)],
)
def test_an_interrupted_import_leaves_nothing(
    program: Program,
    service: Service,
    *,
    store: str,
    client: httpx.Client,
    write: int,
    stop: signal.Signals,
) -> None:
    stopped = stop_import(program, store, WITH_IDS, write, stop)
    assert stopped.returncode == 130
    assert f"{(write - 1) // 2 * PORTION_ROWS} plants are deleted again" in stopped.stderr
    assert list_plants(client) == []
    assert_events_explain_the_plants(service, store)
    program.out("import", str(program.folder / "plants.csv"), "--store", store)


def test_an_undo_that_is_interrupted_says_how_to_finish_it(
    program: Program, store: str, client: httpx.Client
) -> None:
    stopped = stop_import(program, store, WITH_IDS, "7 10", signal.SIGINT)
    assert stopped.returncode == 130
    assert "not all of its plants are deleted again: finish that with --undo" in stopped.stderr
    assert list_plants(client) == ROWS[: 2 * PORTION_ROWS]
    refused = program.refusal("import", "plants.csv", "--store", store)
    assert f"finish that with `plantstore import --store {store} --undo`" in refused
    program.out("import", "--store", store, "--undo")
    assert list_plants(client) == []
    program.out("import", "plants.csv", "--store", store)


def test_an_import_leaves_what_another_of_the_same_file_goes_on_with(
    service: Service, store: str, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "PORTION_ROWS", PORTION_ROWS)
    with closing(open_session(service.database)) as session, closing(open_staging()) as staging:
        for row in ROWS:
            staging.add(int(str(row["id"])), str(row["name"]), None, 1)

        def refuse(_line: int, error: PlantStoreError) -> None:
            raise error

        def begin() -> importing.Import:
            target = ImportStore(session, store, None)
            return importing.Import(target, staging, importing.Options("digest"), refuse)

        first = begin()
        steps = first.write()
        assert next(steps) == PORTION_ROWS
        second = begin().write()
        assert next(second) == PORTION_ROWS
        with pytest.raises(SetupError, match="another import into"):
            next(steps)
        assert sum(first.undo()) == 0
        assert sum(second) == COUNT - 2 * PORTION_ROWS
    assert list_plants(client) == ROWS


def test_an_id_that_is_taken_meanwhile_leaves_nothing(
    service: Service, store: str, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "PORTION_ROWS", PORTION_ROWS)
    refused: list[tuple[int, PlantStoreError]] = []
    with closing(open_session(service.database)) as session, closing(open_staging()) as staging:
        for row in ROWS:
            staging.add(int(str(row["id"])), str(row["name"]), None, 1)
        running = importing.Import(
            ImportStore(session, store, None),
            staging,
            importing.Options("digest"),
            lambda *one: refused.append(one),
        )
        assert sum(running.plan()) == COUNT
        steps = running.write()
        assert next(steps) == PORTION_ROWS
        taken = {"id": COUNT, "name": "taken meanwhile"}
        assert client.post("/plants", json=taken).status_code == 200
        with pytest.raises(importing.RefusedError):
            sum(steps)
        assert [type(error) for _, error in refused] == [IdTakenError]
        assert sum(running.undo()) == COUNT - PORTION_ROWS
    assert list_plants(client) == [taken]
    assert_events_explain_the_plants(service, store)
