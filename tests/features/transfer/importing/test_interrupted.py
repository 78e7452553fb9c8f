"""An import that is killed or interrupted: the same command writes the missing plants."""

import signal
import subprocess
from contextlib import closing

import httpx
import pytest

from plantstore.cli.output import Output
from plantstore.databases import open_session
from plantstore.features.transfer import importing
from plantstore.features.transfer.importing import Import
from plantstore.features.transfer.line_errors import LineErrors
from plantstore.features.transfer.source import open_source
from plantstore.features.transfer.stores import DatabaseStore
from tests.cli.program import Program
from tests.contract.harness import replay
from tests.features.transfer.copying.fixtures import list_plants
from tests.features.transfer.stopping import PORTION_ROWS, run_stopped
from tests.service import Service

COUNT = 10 * PORTION_ROWS
NAMES = [f"Plant {number}" for number in range(1, COUNT + 1)]
ROWS = [{"id": number, "name": name} for number, name in enumerate(NAMES, 1)]
WITHOUT_IDS = "name\n" + "\n".join(NAMES)
WITH_IDS = "id,name\n" + "\n".join(f"{row['id']},{row['name']}" for row in ROWS)
FOURTH_PORTION = 4


def write_file(program: Program, text: str) -> str:
    file = program.folder / "plants.csv"
    file.write_text(text, encoding="utf-8")
    return str(file)


def stop_import(
    program: Program, store: str, text: str, write: int, stop: signal.Signals, *options: str
) -> subprocess.CompletedProcess[str]:
    """Import a file; at the given write the program gets a signal."""
    return run_stopped(
        program, write, stop, "import", write_file(program, text), "--store", store, *options
    )


def assert_events_match_the_plants(service: Service, store: str) -> None:
    events = service.events(store)
    with service.administration() as administration:
        (row,) = (row for row in administration.list_stores() if row.name == store)
    begin = row.revision - len(events)
    assert [event.revision - begin for event in events] == list(range(1, len(events) + 1))
    assert row.plants == len(replay(events))


@pytest.mark.parametrize(
    ("text", "options"), [(WITH_IDS, []), (WITHOUT_IDS, ["--assign-ids"])], ids=["ids", "assign"]
)
def test_an_import_that_is_killed_repeatedly_creates_each_plant_once(
    program: Program,
    service: Service,
    *,
    store: str,
    client: httpx.Client,
    text: str,
    options: list[str],
) -> None:
    written = 0
    for write in (1, FOURTH_PORTION, 2):
        killed = stop_import(program, store, text, write, signal.SIGKILL, *options)
        assert killed.returncode == -signal.SIGKILL
        written += (write - 1) * PORTION_ROWS
        assert list_plants(client) == ROWS[:written]
    summary = program.data("import", "plants.csv", "--store", store, *options)
    assert (summary["identical"], summary["imported"]) == (written, COUNT - written)
    assert list_plants(client) == ROWS
    assert_events_match_the_plants(service, store)


@pytest.mark.parametrize(
    ("write", "stop"),
    [(1, signal.SIGINT), (FOURTH_PORTION, signal.SIGTERM)],
)
def test_an_interrupted_import_reports_how_many_plants_are_written(
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
    written = (write - 1) * PORTION_ROWS
    assert f"stopped: plants written: {written}; " in stopped.stderr
    assert list_plants(client) == ROWS[:written]
    assert_events_match_the_plants(service, store)


def test_an_id_that_is_taken_meanwhile_stops_the_import(
    program: Program,
    service: Service,
    *,
    store: str,
    client: httpx.Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importing, "PORTION", PORTION_ROWS)
    with (
        closing(open_session(service.database)) as session,
        open_source(write_file(program, WITH_IDS)) as source,
    ):
        errors = LineErrors(None, source)
        output = Output(as_json=False, quiet=True)
        running = Import(DatabaseStore(session, store), errors, output, updates=False)
        running.read(source)
        sum(running.check())
        steps = running.write()
        assert next(steps) == PORTION_ROWS
        taken = {"id": 2 * PORTION_ROWS, "name": "taken meanwhile"}
        assert client.post("/plants", json=taken).status_code == 200
        assert list(steps) == [PORTION_ROWS]
    assert (running.summary.imported, errors.count) == (2 * PORTION_ROWS - 1, 1)
    assert list_plants(client) == [*ROWS[: 2 * PORTION_ROWS - 1], taken]
    assert_events_match_the_plants(service, store)
