"""Which ids a create takes: any int64, written as JSON writes integers."""

import httpx

from tests.http.calls import create, expect_refused, list_plants
from tests.http.non_integers import NOT_PLAIN, NOT_WHOLE, TOO_LARGE


def test_int64_is_taken_to_its_ends(client: httpx.Client) -> None:
    numbers = (0, 1, -1, 10, 2**53 + 1, 2**63 - 1, -(2**63))
    written_ids = {"-0": 0} | {str(number): number for number in numbers}
    for written, plant_id in written_ids.items():
        assert create(client, f'{{"id": {written}, "name": "Fern"}}').status_code == 200
        assert list_plants(client) == [{"id": plant_id, "name": "Fern"}]
        assert client.delete(f"/plants/{plant_id}").status_code == 204


def test_what_is_not_an_int64_is_refused(client: httpx.Client) -> None:
    for written in (*TOO_LARGE, *NOT_WHOLE, '"1"', '""', "[1]", "{}"):
        answer = create(client, f'{{"id": {written}, "name": "Fern"}}')
        assert ": id must be" in expect_refused(answer, 40002)
    assert list_plants(client) == []


def test_what_is_not_a_json_number_is_not_json(client: httpx.Client) -> None:
    for written in (*NOT_PLAIN, "'1'", "undefined"):
        expect_refused(create(client, f'{{"id": {written}, "name": "Fern"}}'), 40001)
    assert list_plants(client) == []


def test_a_missing_id_is_told(client: httpx.Client) -> None:
    assert "id is missing" in expect_refused(create(client, '{"name": "Fern"}'), 40002)
