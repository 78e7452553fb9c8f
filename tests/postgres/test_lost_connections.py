"""The network to PostgreSQL fails at any byte: each answer is true, and the service goes on."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.faults.planters import IDS_EACH, body, planting, wait_until_planted
from tests.http.calls import list_plants as list_rows
from tests.http.stalls import fill_store
from tests.postgres.lines import Line, error_of, line
from tests.postgres.proxy import Way
from tests.postgres.server import PostgresServer
from tests.service import Service

CUTS = 16  # places at which what belongs to one request is cut, from its begin to after its end
PATIENCE = 20.0
UNKNOWN = 50303
NOT_WRITTEN = 50302
SETTINGS = {"database_timeout": 1, "write_timeout": 1}


@pytest.fixture
def wire(postgres_server: PostgresServer, tmp_path: Path) -> Iterator[Line]:
    """A service behind a network that can fail."""
    with line(postgres_server, tmp_path, SETTINGS) as opened:
        yield opened


@pytest.fixture
def client(wire: Line) -> Iterator[httpx.Client]:
    """A client of the service."""
    with wire.service.client(wire.token) as opened:
        yield opened


def create(client: httpx.Client, plant_id: int, key: str | None = None) -> int:
    """Create a plant; the error's number, or 0."""
    headers = {} if key is None else {"Idempotency-Key": key}
    return error_of(client.post("/plants", json=body(plant_id), headers=headers))


def delete(client: httpx.Client, plant_id: int) -> int:
    return error_of(client.delete(f"/plants/{plant_id}"))


def wait_until_well(client: httpx.Client) -> None:
    """Return when the service lists again, as it must by itself."""
    deadline = time.monotonic() + PATIENCE
    while client.get("/plants?limit=0").status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def places_to_cut(wire: Line, way: Way, ask: Callable[[], object]) -> range:
    """Numbers of bytes from none to a little more than a request like this makes go this way."""
    before = wire.proxy.passed[way]
    ask()
    most = wire.proxy.passed[way] - before + 50
    return range(0, most, max(1, most // CUTS))


@pytest.mark.parametrize("way", Way)
def test_a_create_was_done_or_was_not_as_it_was_told(
    wire: Line, client: httpx.Client, way: Way
) -> None:
    create(client, 0)  # so that the statements are prepared
    seen = set()
    for number, place in enumerate(places_to_cut(wire, way, lambda: create(client, 1)), 2):
        wire.proxy.cut_after(way, place)
        error = create(client, number)
        wire.proxy.mend()
        seen.add(error)
        stored = {plant.id for plant in wire.plants()}
        if error == NOT_WRITTEN:
            assert number not in stored
        elif error != UNKNOWN:
            assert error == 0
            assert number in stored
        wait_until_well(client)
        assert create(client, number) == (40004 if number in stored else 0)
    assert seen >= {0, UNKNOWN}
    wire.demand_whole()


@pytest.mark.parametrize("way", Way)
def test_a_retry_with_the_same_key_makes_one_plant(
    wire: Line, client: httpx.Client, way: Way
) -> None:
    create(client, 0, "first")
    places = places_to_cut(wire, way, lambda: create(client, 1, "second"))
    unknown = 0
    for number, place in enumerate(places, 2):
        wire.proxy.cut_after(way, place)
        error = create(client, number, f"key {number}")
        wire.proxy.mend()
        unknown += error == UNKNOWN
        deadline = time.monotonic() + PATIENCE
        while error:
            assert error in {UNKNOWN, NOT_WRITTEN}
            assert time.monotonic() < deadline
            error = create(client, number, f"key {number}")
    assert unknown > 0
    assert [event.plant.id for event in wire.events()] == list(range(2 + len(places)))
    wire.demand_whole()


@pytest.mark.parametrize("way", Way)
def test_a_delete_was_done_or_was_not_as_it_was_told(
    wire: Line, client: httpx.Client, way: Way
) -> None:
    for number in range(3 * CUTS):
        assert create(client, number) == 0
    delete(client, 0)
    seen = set()
    for number, place in enumerate(places_to_cut(wire, way, lambda: delete(client, 1)), 2):
        wire.proxy.cut_after(way, place)
        error = delete(client, number)
        wire.proxy.mend()
        seen.add(error)
        stored = {plant.id for plant in wire.plants()}
        if error == NOT_WRITTEN:
            assert number in stored
        elif error != UNKNOWN:
            assert error == 0
            assert number not in stored
        wait_until_well(client)
    assert seen >= {0, UNKNOWN}
    wire.demand_whole()


def test_where_only_the_answer_is_lost_the_write_was_done(wire: Line, client: httpx.Client) -> None:
    create(client, 0, "first")
    with wire.service.client(wire.token) as other:
        lists = places_to_cut(wire, Way.ANSWERS, lambda: list_rows(other, limit="0"))
    # The first answers tell who calls; what comes after them tells of the commit.
    for number in range(1, 6):
        wire.proxy.cut_after(Way.ANSWERS, lists[-1])
        if create(client, number, f"key {number}") == UNKNOWN:
            assert number in {plant.id for plant in wire.plants()}
        wire.proxy.mend()
        wait_until_well(client)
        assert create(client, number, f"key {number}") == 0
    assert [event.plant.id for event in wire.events()] == list(range(6))


def test_connections_lost_while_nobody_used_them_are_not_noticed(
    wire: Line, client: httpx.Client
) -> None:
    for number in range(5):
        with planting(wire.service, wire.token, first=4 * number) as planters:
            wait_until_planted(planters, 8)  # so that there are several
        wire.proxy.cut()
        time.sleep(0.2)  # for the news to arrive
        assert create(client, number) == 0
        assert client.get("/plants").status_code == 200
    wire.demand_whole()


def test_many_writes_under_way_are_as_they_were_told(wire: Line) -> None:
    planters = []
    for cut in range(8):
        way = list(Way)[cut % 2]
        with planting(wire.service, wire.token, first=4 * cut) as new:
            wait_until_planted(new, 8)
            wire.proxy.cut_after(way, 700 * cut)
            time.sleep(0.2)
        wire.proxy.mend()
        planters += new
    wire.demand_whole()
    stored = {plant.id for plant in wire.plants()}
    for planter in planters:
        assert planter.there - planter.unsure <= stored
        assert not stored & (planter.gone - planter.unsure)
        assert set(planter.refusals) <= {50301, NOT_WRITTEN, UNKNOWN}
        assert planter.refusals.count(UNKNOWN) == len(planter.unsure)
    assert any(planter.unsure for planter in planters)
    assert all(plant.id >= IDS_EACH for plant in wire.plants())


def test_a_silent_network_gives_503_and_then_all_goes_on(wire: Line, client: httpx.Client) -> None:
    assert create(client, 0) == 0
    with planting(wire.service, wire.token) as planters, wire.proxy.silent():
        began = time.monotonic()
        errors = {number: create(client, number) for number in (1, 2)}
        deleted = delete(client, 0)
        assert client.get("/plants").json()["error"] == NOT_WRITTEN
        assert client.get("/readyz").status_code == 503
        assert client.get("/livez").status_code == 200
        assert time.monotonic() - began < 2 * PATIENCE
        assert set(errors.values()) | {deleted} <= {NOT_WRITTEN, UNKNOWN}
        time.sleep(0.5)
    # What was on its way arrives now: only what was told to be unknown may still be done.
    wait_until_well(client)
    time.sleep(0.5)
    stored = {plant.id for plant in wire.plants()}
    for number, error in {**errors, 0: deleted}.items():
        assert error == UNKNOWN or (number in stored) == (number == 0)
    for planter in planters:
        assert planter.there - planter.unsure <= stored
        assert not stored & (planter.gone - planter.unsure)
    assert create(client, 3) == 0
    wire.demand_whole()


def test_a_slow_network_slows_down_and_does_no_more(wire: Line, client: httpx.Client) -> None:
    wire.proxy.delay = 0.05
    for number in range(5):
        assert create(client, number) == 0
        assert [row["id"] for row in list_rows(client)] == list(range(number + 1))
    wire.demand_whole()


@pytest.mark.parametrize("way", Way)
def test_half_closed_connections_are_replaced(wire: Line, client: httpx.Client, way: Way) -> None:
    for number in range(5):
        wire.proxy.end(way)
        deadline = time.monotonic() + PATIENCE
        while error := create(client, number, f"key {number}"):
            assert error in {NOT_WRITTEN, UNKNOWN}
            assert time.monotonic() < deadline
    assert [event.plant.id for event in wire.events()] == list(range(5))
    wire.demand_whole()


def test_a_list_is_right_or_an_error(wire: Line, client: httpx.Client) -> None:
    for number in range(40):
        assert create(client, number) == 0
    expected = list_rows(client)
    for way in Way:
        ask = lambda: list_rows(client, tag="tag-0")  # noqa: E731 - one line
        for number, place in enumerate(places_to_cut(wire, way, ask)):
            wire.proxy.cut_after(way, place)
            # Another target each time, so that no answer is ready.
            answer = client.get(f"/plants?fields=id,name,tag&{way}={number}")
            wire.proxy.mend()
            if answer.status_code == 200:
                assert answer.json() == expected
            else:
                assert error_of(answer) == NOT_WRITTEN
            wait_until_well(client)


def fill(wire: Line, count: int) -> None:
    """Put plants into the store, but not through the network."""
    direct = Service(Path("/nonexistent"), database=wire.direct)
    fill_store(direct, "nursery", count, size=100)


def test_a_long_list_that_was_cut_does_not_look_whole(wire: Line, client: httpx.Client) -> None:
    fill(wire, 3000)
    places = places_to_cut(wire, Way.ANSWERS, lambda: client.get("/plants?fields=id"))
    outcomes = set()
    for place in places:
        wire.proxy.cut_after(Way.ANSWERS, place)
        try:
            answer = client.get("/plants?fields=id")
        except httpx.RemoteProtocolError:
            outcomes.add("broken off")
        else:
            outcomes.add(str(error_of(answer)))
            if answer.is_success:
                assert [row["id"] for row in answer.json()] == list(range(1, 3001))
        wire.proxy.mend()
        wait_until_well(client)
    assert {"0", "broken off"} <= outcomes <= {"0", "broken off", str(NOT_WRITTEN)}
