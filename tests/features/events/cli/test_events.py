"""``plantstore event list``: who did what, in lists of any length."""

import json
import subprocess
import time
from collections.abc import Iterator
from itertools import count

import pytest
from click.testing import CliRunner

from plantstore.cli.output import Output
from plantstore.program import cli
from tests.cli.program import PLANTSTORE, Program
from tests.databases import execute
from tests.features.events.http.test_event_stream import fill_events
from tests.http.calls import create_in
from tests.plants import FULL_JSON
from tests.service import Service


@pytest.fixture
def service(program: Program) -> Iterator[Service]:
    """A service with the plants 7, deleted by eve, and 8."""
    with Service(program.folder, database=program.database) as service:
        with service.client(service.make_token("nursery", "ada")) as ada:
            for plant in (FULL_JSON, {"id": 8, "name": "Ficus"}):
                assert ada.post("/plants", json=plant).is_success
        with service.client(service.make_token("nursery", "eve")) as eve:
            assert eve.delete("/plants/7").is_success
        yield service


def list_events(program: Program, *filters: str) -> list[tuple[str, int, str | None]]:
    events = program.data("event", "list", "--store", "nursery", *filters)
    return [(event["kind"], event["id"], event["user"]) for event in events]


def test_events_are_listed_with_their_user_and_token(program: Program, service: Service) -> None:
    assert service
    assert list_events(program, "--plant", "7") == [
        ("plant.created", 7, "ada"),
        ("plant.deleted", 7, "eve"),
    ]
    assert list_events(program, "--user", "eve", "--since", "1h") == [("plant.deleted", 7, "eve")]
    assert list_events(program, "--since", "2100-01-01") == []
    assert len(list_events(program, "--since", "2001-01-01T08:00:00+02:00")) == 3
    deletion = program.data("event", "list", "--store", "nursery", "--user", "eve")[0]
    (token,) = [token for token in program.data("token", "list") if token["user"] == "eve"]
    assert deletion["token_id"] == token["id"]
    assert deletion.items() >= FULL_JSON.items()
    assert "Ficus" in program.out("event", "list", "--store", "nursery")
    refused = program.refusal("event", "list", "--store", "nursery", "--since", "now", status=2)
    assert "write an age such as 24h" in refused


def test_follow_prints_new_events(program: Program, service: Service) -> None:
    command = [*PLANTSTORE, "event", "list", "--store", "nursery", "--plant", "9", "--follow"]
    with (
        subprocess.Popen(
            [*command, "--json"], stdout=subprocess.PIPE, env=program.environ
        ) as follow,
        service.client(service.make_token("nursery", "ada")) as ada,
    ):
        assert follow.stdout is not None
        for name in ("Fern", "Ficus"):
            assert ada.post("/plants", json={"id": 9, "name": name}).is_success
            assert json.loads(follow.stdout.readline())["name"] == name
            assert ada.delete("/plants/9").is_success
            assert json.loads(follow.stdout.readline())["kind"] == "plant.deleted"
        follow.terminate()


def test_follow_reads_each_event_once(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    program.make_store("nursery")
    fill_events(program.database, 3)
    sleeps = count()

    def change_history(_seconds: float) -> None:
        if next(sleeps):
            raise KeyboardInterrupt
        execute(program.database, "UPDATE events SET plant_id = 9 WHERE revision = 1")

    monkeypatch.setattr(time, "sleep", change_history)
    options = ("--database", program.database, "event", "list", "--store", "nursery")
    result = CliRunner().invoke(cli, [*options, "--plant", "9", "--follow"])
    assert (result.output, result.exit_code) == ("\nAborted!\n", 1)


def test_events_of_several_stores_are_sorted_by_time(program: Program) -> None:
    for number, name in enumerate(("apples", "berries"), 1):
        program.make_store(name)
        create_in(program.folder, program.database, name, 7)
        at = f"UPDATE events SET at = {1000 - number} WHERE store_id = {number}"
        execute(program.database, at)
    listed = program.data("event", "list")
    assert [event["store"] for event in listed] == ["berries", "apples"]


def test_an_invalid_plant_id_is_refused(program: Program) -> None:
    assert "is not in the range" in program.refusal("event", "list", "--plant", "9" * 20, status=2)


def test_an_unknown_user_is_refused(program: Program) -> None:
    program.make_store("nursery")
    for user in ("nobody", "\udcff"):
        assert "there is no user" in program.refusal("event", "list", "--user", user)


@pytest.mark.parametrize("count", [0, 1, 2500])
def test_any_number_of_events_is_listed(program: Program, count: int) -> None:
    program.make_store("nursery")
    fill_events(program.database, count)
    listed = program.out("event", "list", "--store", "nursery", "--json")
    events = json.loads(listed)
    assert [event["id"] for event in events] == [*range(1, count + 1)]
    assert listed == json.dumps(events, indent=2)
    header, *lines = program.out("event", "list", "--store", "nursery").splitlines()
    assert header.split()[:3] == ["revision", "at", "kind"]
    assert [int(line.split()[3]) for line in lines] == [*range(1, count + 1)]


@pytest.mark.parametrize("as_json", [False, True])
def test_a_long_list_is_printed_while_it_is_read(
    capsys: pytest.CaptureFixture[str], *, as_json: bool
) -> None:
    printed = []

    def read() -> Iterator[dict[str, object]]:
        for number in range(2000):
            yield {"number": number}
        printed.append(capsys.readouterr().out)

    Output(as_json, quiet=False).print_records(read(), ["number"])
    assert "999" in printed[0]
