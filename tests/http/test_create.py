"""Creating a plant: accepted values, the response, and the stored plant."""

import json

import httpx
import pytest

from tests.http.calls import create, expect_refused, list_plants
from tests.http.non_integers import NOT_PLAIN, NOT_WHOLE, NOTATIONS, TOO_LARGE

LENGTHS = {"name": (1, 1000), "tag": (0, 256)}
FIELDS = pytest.mark.parametrize("field", LENGTHS)
ASTRAL = "\U0001fab4"
SPACES = "\u00a0\u1680\u2000\u2001\u2028\u2029\u202f\u205f\u3000"
TEXTS = (
    *("a", " a ", "0", ASTRAL, "a\u3000b", '"\\/<&>%s{}', "'; DROP TABLE plants; --"),
    *("e\u0301", "é"),  # neither composed nor decomposed
    *(
        "\ufb01",
        "\u212b",
    ),  # a ligature and the Ångström sign, which compatibility forms would replace
    *("\u200b", "a\u200bb\u200d"),  # no white space by Unicode's rules
    *("\ufeff", "\ufffd", "\uffff", "\U0010ffff"),
    *("\u200fabc", "a\u00a0\u2029\u202f\u2065\u206a"),  # next to refused code points
)
BLANKS = (" ", "  ", SPACES, *SPACES[:3])
REFUSED: dict[str, tuple[object, ...]] = {
    "must not contain control characters": (
        *("a\x00b", "\n", "a\tb", "\x1f", "a\x7f", "\x80", "\x9f"),
        *("\u202a", "\u202e", "\u2066", "\u2069"),  # of the text's direction
    ),
    "must not contain": ("\ud800", "a\udfff", "\udc00\ud800", "\ud83e\ud83e\udeb4"),
    "must be a string": (None, 1, 1.5, True, ["a"], {}),
}


def body_with(field: str, value: object, *, escaped: bool = True) -> bytes:
    plant = {"id": 1, "name": "Fern", "tag": "a"} | {field: value}
    return json.dumps(plant, ensure_ascii=escaped).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize(
    ("body", "response"),
    [
        ('{"id":1,"name":"Monstera","tag":"tropical"}', '{"name":"Monstera","tag":"tropical"}'),
        ('{"id":1,"name":"Monstera"}', '{"name":"Monstera"}'),
        ('{"name":"\\u00c4hre \\"q\\" \\\\ \\/","id":1}', '{"name":"Ähre \\"q\\" \\\\ /"}'),
    ],
)
def test_the_response_is_exactly_the_plant(client: httpx.Client, body: str, response: str) -> None:
    created = create(client, body)
    assert created.status_code == 200
    assert created.content == response.encode()
    assert created.headers["content-type"] == "application/json"
    assert created.headers["content-length"] == str(len(response.encode()))
    assert created.headers["cache-control"] == "no-store"
    always = {"date", "x-request-id", "x-content-type-options"}
    of_the_body = {"content-type", "content-length", "cache-control", "etag"}
    assert set(created.headers) == always | of_the_body | {"location", "store-revision"}


@pytest.mark.parametrize(
    "body",
    [
        b'{"id":9,"name":"No","tag":"no","id":1,"name":"Fern","tag":"a"}',
        b'{"id":"x","name":4,"tag":null,"id":1,"name":"Fern","tag":"a"}',
        b'{"id":1.0,"name":"","tag":"","id":1,"name":"Fern","tag":"a"}',
        b'{"id":1,"name":"Fern","\\u0074ag":"b","tag":"a"}',
        b'{"id":1,"name":"Fern","tag":"a","Tag":"b","ID":8,"":0,"x":{"id":[null,{},1e3]}}',
    ],
)
def test_the_last_repeated_key_counts_and_unknown_keys_are_ignored(
    client: httpx.Client, body: bytes
) -> None:
    assert create(client, body).json() == {"name": "Fern", "tag": "a"}
    assert list_plants(client) == [{"id": 1, "name": "Fern", "tag": "a"}]


@pytest.mark.parametrize("field", ["id", "name"])
def test_a_missing_field_is_named(client: httpx.Client, field: str) -> None:
    plant = {"id": 1, "name": "Fern", "tag": "a"}
    del plant[field]
    assert f"{field} is missing" in expect_refused(create(client, json.dumps(plant)), 40002)


# Ids


def test_an_id_may_be_any_int64(client: httpx.Client) -> None:
    numbers = (0, 1, -1, 10, 2**53 + 1, 2**63 - 1, -(2**63))
    written_ids = {"-0": 0} | NOTATIONS | {str(number): number for number in numbers}
    for written, plant_id in written_ids.items():
        assert create(client, f'{{"id": {written}, "name": "Fern"}}').status_code == 200
        assert list_plants(client) == [{"id": plant_id, "name": "Fern"}]
        assert client.delete(f"/plants/{plant_id}").status_code == 204


def test_an_id_that_is_not_an_int64_is_refused(client: httpx.Client) -> None:
    for written in (*TOO_LARGE, *NOT_WHOLE, '"1"', '""', "[1]", "{}"):
        response = create(client, f'{{"id": {written}, "name": "Fern"}}')
        assert ": id must be" in expect_refused(response, 40002)
    for written in (*NOT_PLAIN, "'1'", "undefined"):  # these are not JSON either
        expect_refused(create(client, f'{{"id": {written}, "name": "Fern"}}'), 40001)
    assert list_plants(client) == []


# Names and tags


@pytest.mark.parametrize("escaped", [True, False])
def test_text_is_stored_unchanged(client: httpx.Client, *, escaped: bool) -> None:
    plants = [{"id": number, "name": text, "tag": text} for number, text in enumerate(TEXTS)]
    plants += [
        {"id": number, "name": "Fern", "tag": tag} for number, tag in enumerate(("", *BLANKS), 100)
    ]
    for plant in plants:
        body = json.dumps(plant, ensure_ascii=escaped).encode()
        assert create(client, body).json() == {"name": plant["name"], "tag": plant["tag"]}
    assert list_plants(client) == plants


@FIELDS
@pytest.mark.parametrize("character", ["x", ASTRAL, "\u0301"])
def test_length_is_counted_in_code_points(client: httpx.Client, field: str, character: str) -> None:
    shortest, longest = LENGTHS[field]
    too_long = create(client, body_with(field, character * (longest + 1)))
    message = expect_refused(too_long, 40002)
    expected_text = (
        f"{field} must be {shortest} to {longest:,} characters long, not {longest + 1:,}"
    )
    assert expected_text in message
    assert create(client, body_with(field, character * longest)).status_code == 200
    [plant] = list_plants(client)
    assert plant[field] == character * longest


@FIELDS
@pytest.mark.parametrize("rule", REFUSED)
def test_invalid_text_is_refused_with_the_broken_rule(
    client: httpx.Client, field: str, rule: str
) -> None:
    for value in REFUSED[rule]:
        message = expect_refused(create(client, body_with(field, value)), 40002)
        assert f"{field} {rule}" in message


def test_an_empty_or_blank_name_is_refused(client: httpx.Client) -> None:
    rules = {"": "must be 1 to"} | dict.fromkeys(BLANKS, "must not be only white space")
    for name, rule in rules.items():
        message = expect_refused(create(client, body_with("name", name)), 40002)
        assert f"name {rule}" in message


@FIELDS
def test_bytes_that_json_text_may_not_contain_are_refused(client: httpx.Client, field: str) -> None:
    raws = [b"\x00", b"\n", b"\x1f", b"\xff", b"\xc0\xaf", b"\xe9", b"\xed\xa0\x80"]
    for raw, number in [*((raw, 40001) for raw in raws), (b"\x7f", 40002)]:  # valid in JSON
        expect_refused(create(client, body_with(field, "a#b").replace(b"a#b", raw)), number)
