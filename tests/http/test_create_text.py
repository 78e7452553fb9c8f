"""Which names and tags a create takes, and that it keeps them to the code point."""

import json

import httpx
import pytest

from tests.http.calls import create, expect_refused, list_plants

LENGTHS = {"name": (1, 1000), "tag": (0, 256)}
FIELDS = pytest.mark.parametrize("field", LENGTHS)
ASTRAL = "\U0001fab4"
SPACES = "\u00a0\u1680\u2000\u2001\u2028\u2029\u202f\u205f\u3000"
TEXTS = (
    "a",
    " a ",
    "0",
    ASTRAL,
    "e\u0301",  # not composed to é
    "é",  # nor é taken apart
    "\ufb01",  # a ligature, nor changed to what looks alike
    "\u212b",  # the Ångström sign
    "a\u200bb\u200d",
    "\u200b",  # no white space by Unicode's rules
    "\ufeff",
    "\ufffd",
    "\uffff",
    "\U0010ffff",
    "\u200fabc",
    "a\u00a0\u2029\u202f\u2065\u206a",  # beside those that are refused
    "'; DROP TABLE plants; --",
    '"\\/<&>%s{}',
    "a\u3000b",
)
TAGS = (*TEXTS, "", " ", SPACES)
REFUSED = {
    "must be 1 to": ("",),
    "must not be only white space": (" ", "  ", SPACES, *SPACES[:3]),
    "must not contain control characters": (
        "a\x00b",
        "\n",
        "a\tb",
        "\x1f",
        "a\x7f",
        *("\x80", "\x9f"),
        *("\u202a", "\u202e", "\u2066", "\u2069"),  # of the text's direction
    ),
    "must not contain": ("\ud800", "a\udfff", "\udc00\ud800", "\ud83e\ud83e\udeb4"),
    "must be a string": (None, 1, 1.5, True, ["a"], {}),
}


def body_with(field: str, value: object, *, escaped: bool = True) -> bytes:
    plant = {"id": 1, "name": "Fern", "tag": "a"} | {field: value}
    return json.dumps(plant, ensure_ascii=escaped).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("escaped", [True, False])
def test_text_is_kept_to_the_code_point(client: httpx.Client, *, escaped: bool) -> None:
    names = [{"id": number, "name": text} for number, text in enumerate(TEXTS)]
    plants = names + [
        {"id": 100 + number, "name": "n", "tag": tag} for number, tag in enumerate(TAGS)
    ]
    for plant in plants:
        body = json.dumps(plant, ensure_ascii=escaped).encode()
        assert create(client, body).json() == {key: plant[key] for key in plant if key != "id"}
    assert list_plants(client) == plants


@FIELDS
@pytest.mark.parametrize("character", ["x", ASTRAL, "\u0301"])
def test_length_is_counted_in_code_points(client: httpx.Client, field: str, character: str) -> None:
    shortest, longest = LENGTHS[field]
    too_long = create(client, body_with(field, character * (longest + 1)))
    message = expect_refused(too_long, 40002)
    assert f"{field} must be {shortest} to {longest:,} characters long, not " in message
    assert create(client, body_with(field, character * longest)).status_code == 200
    [plant] = list_plants(client)
    assert plant[field] == character * longest


@FIELDS
@pytest.mark.parametrize("rule", REFUSED)
def test_other_values_are_refused_by_their_rule(
    client: httpx.Client, field: str, rule: str
) -> None:
    for value in REFUSED[rule]:
        if field == "tag" and isinstance(value, str) and not value.strip():
            continue  # a tag may be empty, or white space
        message = expect_refused(create(client, body_with(field, value)), 40002)
        assert f"{field} {rule}" in message


@FIELDS
def test_text_that_is_not_json_is_refused(client: httpx.Client, field: str) -> None:
    numbers = {
        40001: [b"\x00", b"\n", b"\x1f", b"\xff", b"\xc0\xaf", b"\xe9", b"\xed\xa0\x80"],
        40002: [b"\x7f"],  # this one JSON allows
    }
    for number, raws in numbers.items():
        for raw in raws:
            body = body_with(field, "a#b").replace(b"a#b", raw)
            expect_refused(create(client, body), number)


def test_a_missing_name_is_told(client: httpx.Client) -> None:
    assert "name is missing" in expect_refused(create(client, '{"id": 1, "tag": "a"}'), 40002)
