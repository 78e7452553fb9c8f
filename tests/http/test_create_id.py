"""Which ids a create takes: any int64, written as JSON writes integers."""

import httpx
import pytest

from plantstore.model import INT64_MAX, INT64_MIN
from tests.http.calls import create, expect_refused, list_plants

NINES = "9" * 40


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


@pytest.mark.parametrize(
    "written",
    [
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551617",
        NINES,
        f"-{NINES}",
        pytest.param("1" + "0" * 5000, id="5001 digits"),
        "1.0",
        "1.5",
        "-0.0",
        "1e3",
        "1E0",
        "10e-1",
        "1e400",
        "1e-400",
        f"{NINES}.0",
        "true",
        "false",
        "null",
        '"1"',
        '""',
        "[1]",
        "{}",
    ],
)
def test_what_is_not_an_int64_is_refused(client: httpx.Client, written: str) -> None:
    answer = create(client, f'{{"id": {written}, "name": "Fern"}}')
    assert ": id must be" in expect_refused(answer, 40002)
    assert list_plants(client) == []


@pytest.mark.parametrize(
    "written",
    [
        "１２",
        "1_0",
        "+7",
        "007",
        "-01",
        "0x10",
        "1.",
        ".5",
        "1e",
        "--1",
        "- 1",
        "1 2",
        "NaN",
        "Infinity",
        "-Infinity",
        "nan",
        "None",
        "True",
        "",
        "'1'",
        "undefined",
        "1n",
        "٣",
    ],
)
def test_what_is_no_json_number_is_no_json(client: httpx.Client, written: str) -> None:
    expect_refused(create(client, f'{{"id": {written}, "name": "Fern"}}'), 40001)
    assert list_plants(client) == []


def test_a_missing_id_is_told(client: httpx.Client) -> None:
    assert "id is missing" in expect_refused(create(client, '{"name": "Fern"}'), 40002)
