"""Which names and tags a create takes, and that it keeps them to the code point."""

import json

import httpx
import pytest

from plantstore.model import NAME_MAX, TAG_MAX
from tests.http.calls import create, expect_refused, list_plants

LENGTHS = {"name": NAME_MAX, "tag": TAG_MAX}
FIELDS = pytest.mark.parametrize("field", LENGTHS)
ASTRAL = "\U0001fab4"
SPACES = "\u0085\u00a0\u1680\u2000\u2001\u2028\u2029\u202f\u205f\u3000"


def body_with(field: str, value: object, *, escaped: bool = True) -> bytes:
    plant = {"id": 1, "name": "Fern", "tag": "a"} | {field: value}
    return json.dumps(plant, ensure_ascii=escaped).encode("utf-8", "surrogatepass")


@FIELDS
@pytest.mark.parametrize("escaped", [True, False])
@pytest.mark.parametrize(
    "text",
    [
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
        "\u0080",
        "\u009f",
        "\ufffd",
        "\uffff",
        "\U0010ffff",
        "\u202eabc",
        "'; DROP TABLE plants; --",
        '"\\/<&>%s{}',
        "a\u3000b",
    ],
)
def test_text_is_kept_to_the_code_point(
    client: httpx.Client, field: str, text: str, *, escaped: bool
) -> None:
    kept = {"name": "Fern", "tag": "a"} | {field: text}
    assert create(client, body_with(field, text, escaped=escaped)).json() == kept
    assert list_plants(client) == [{"id": 1} | kept]


@FIELDS
@pytest.mark.parametrize("character", ["x", "é", ASTRAL, "\u0301"])
def test_length_is_counted_in_code_points(client: httpx.Client, field: str, character: str) -> None:
    longest = LENGTHS[field]
    too_long = create(client, body_with(field, character * (longest + 1)))
    message = expect_refused(too_long, 40002)
    assert f"{field} must be 1 to {longest} characters long, not {longest + 1}" in message
    assert create(client, body_with(field, character * longest)).status_code == 200
    [plant] = list_plants(client)
    assert plant[field] == character * longest


@FIELDS
@pytest.mark.parametrize("space", [" ", "  ", *SPACES, SPACES])
@pytest.mark.parametrize("escaped", [True, False])
def test_only_white_space_is_refused(
    client: httpx.Client, field: str, space: str, *, escaped: bool
) -> None:
    answer = create(client, body_with(field, space, escaped=escaped))
    assert f"{field} must not be only white space" in expect_refused(answer, 40002)


@FIELDS
@pytest.mark.parametrize("code", [*range(0x20), 0x7F])
def test_an_escaped_control_character_is_refused(
    client: httpx.Client, field: str, code: int
) -> None:
    answer = create(client, body_with(field, f"a{chr(code)}b"))
    assert f"{field} must not have control characters" in expect_refused(answer, 40002)


@FIELDS
@pytest.mark.parametrize("code", [*range(0x20), 0x7F])
def test_a_raw_control_character_is_refused(client: httpx.Client, field: str, code: int) -> None:
    body = body_with(field, "a#b").replace(b"#", bytes([code]))
    # JSON itself forbids all of them but DEL.
    expect_refused(create(client, body), 40002 if code == 0x7F else 40001)


@FIELDS
@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\udc00\ud800", "\ud83e\ud83e\udeb4"])
def test_an_escaped_lone_surrogate_is_refused(client: httpx.Client, field: str, text: str) -> None:
    answer = create(client, body_with(field, text))
    assert f"{field} must not have" in expect_refused(answer, 40002)


@FIELDS
@pytest.mark.parametrize(
    "raw", [b"\xff", b"\xc0\xaf", b"\xe9", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"]
)
def test_bytes_that_are_no_utf8_are_no_json(client: httpx.Client, field: str, raw: bytes) -> None:
    expect_refused(create(client, body_with(field, "a#b").replace(b"#", raw)), 40001)


@FIELDS
@pytest.mark.parametrize("value", [None, 1, 1.5, True, [], ["a"], {}])
def test_what_is_no_string_is_refused(client: httpx.Client, field: str, value: object) -> None:
    answer = create(client, body_with(field, value))
    assert f"{field} must be a string" in expect_refused(answer, 40002)


@FIELDS
def test_empty_text_is_refused(client: httpx.Client, field: str) -> None:
    message = expect_refused(create(client, body_with(field, "")), 40002)
    assert f"{field} must be 1 to" in message


def test_a_missing_name_is_told(client: httpx.Client) -> None:
    assert "name is missing" in expect_refused(create(client, '{"id": 1, "tag": "a"}'), 40002)
