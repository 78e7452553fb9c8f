"""Which ids a create takes: any int64, written as JSON writes integers."""

import httpx
import pytest

from plantstore.model import INT64_MAX, INT64_MIN
from tests.http.calls import create, expect_refused, list_plants
from tests.http.fixtures import SQLITE_ONLY
from tests.http.non_integers import NOT_PLAIN, NOT_WHOLE, TOO_LARGE


@pytest.mark.parametrize(
    ("written", "plant_id"),
    [
        ("0", 0),
        ("-0", 0),
        ("1", 1),
        ("-1", -1),
        ("10", 10),
        ("9007199254740993", 2**53 + 1),
        ("9223372036854775807", INT64_MAX),
        ("-9223372036854775808", INT64_MIN),
    ],
)
def test_int64_is_taken_to_its_ends(client: httpx.Client, written: str, plant_id: int) -> None:
    assert create(client, f'{{"id": {written}, "name": "Fern"}}').status_code == 200
    assert list_plants(client) == [{"id": plant_id, "name": "Fern"}]
    assert client.delete(f"/plants/{plant_id}").status_code == 204


@SQLITE_ONLY
def test_what_is_not_an_int64_is_refused(client: httpx.Client) -> None:
    for written in (*TOO_LARGE, *NOT_WHOLE, '"1"', '""', "[1]", "{}"):
        answer = create(client, f'{{"id": {written}, "name": "Fern"}}')
        assert ": id must be" in expect_refused(answer, 40002)
    assert list_plants(client) == []


@SQLITE_ONLY
def test_what_is_not_a_json_number_is_not_json(client: httpx.Client) -> None:
    for written in (*NOT_PLAIN, "'1'", "undefined"):
        expect_refused(create(client, f'{{"id": {written}, "name": "Fern"}}'), 40001)
    assert list_plants(client) == []


@SQLITE_ONLY
def test_a_missing_id_is_told(client: httpx.Client) -> None:
    assert "id is missing" in expect_refused(create(client, '{"name": "Fern"}'), 40002)
