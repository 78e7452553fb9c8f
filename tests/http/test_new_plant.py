"""The decoder of NewPlant takes exactly what a plain reading of the rules takes."""

import json
import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from plantstore.core.decoding import decode_new_plant
from plantstore.core.errors import RequestError
from plantstore.core.model import NewPlant

often = settings(max_examples=200)


class Number(str):
    """A number as it was written."""

    __slots__ = ()


def refuse_constant(name: str) -> None:
    raise ValueError(name)


def judge(body: bytes) -> NewPlant | set[str]:
    """The plant, or what is wrong: the ``body``, that it is no ``object``, or some fields."""
    try:
        value = json.loads(
            body.decode("utf-8"),
            parse_int=Number,
            parse_float=Number,
            parse_constant=refuse_constant,
        )
    except (ValueError, RecursionError):
        return {"body"}
    if not isinstance(value, dict):
        return {"object"}
    right = {
        "id": is_id(value.get("id")),
        "name": is_text(value.get("name"), 1000, 1),
        "tag": "tag" not in value or is_text(value["tag"], 256, 0),
    }
    if all(right.values()):
        return NewPlant(int(Fraction(value["id"])), value["name"], value.get("tag"))
    return {field for field, is_right in right.items() if not is_right}


def is_id(value: object) -> bool:
    if not isinstance(value, Number):
        return False
    if "e999" in value:  # too large to be written out
        return False
    number = Fraction(value)
    return number.denominator == 1 and -(2**63) <= number < 2**63


_REFUSED = (
    *(range(0x20), range(0x7F, 0xA0), range(0x202A, 0x202F), range(0x2066, 0x206A)),
    range(0xD800, 0xE000),
)


def is_text(value: object, longest: int, shortest: int) -> bool:
    if not isinstance(value, str) or isinstance(value, Number):
        return False
    codes = [ord(character) for character in value]
    fit = not any(code in refused for code in codes for refused in _REFUSED)
    return shortest <= len(codes) <= longest and fit and bool(value.strip() or not shortest)


def decode(body: bytes) -> NewPlant | str:
    """The decoder's plant, or what it says is wrong, in the words of ``judge``."""
    try:
        return decode_new_plant(body)
    except RequestError as error:
        if error.number == 40001:
            return "body"
        reason = str(error.details["reason"])
    named = re.match("(id|name|tag) (must|is missing)", reason)
    return named[1] if named else reason.replace("it is", "object")[:6]


def expect_the_same(body: bytes) -> None:
    """The decoder gives the same plant, or names one of the things that are wrong."""
    found, expected = decode(body), judge(body)
    if isinstance(expected, NewPlant):
        assert found == expected
    else:
        assert found in expected


EDGES = [length * "a" for length in (0, 256, 257, 1000, 1001)]
TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=5) | st.sampled_from(
    [*EDGES, " ", "\u2003", "\u200b", "\x7f", "\U0001fab4"]
)
NUMBERS = st.sampled_from(
    ["0", "-0", "1", "-1", "1.0", "1e2", "1.5", "90e-1", "01", "+1", "1.", "-", "NaN", "9" * 40]
    + ["9007199254740993.0", "9223372036854775807e0", "9223372036854775808e0", "1e999999999"]
    + [str(edge + step) for edge in (2**63, -(2**63), 2**64) for step in (-1, 0, 1)]
) | st.integers(-(2**70), 2**70).map(str)
LEAVES = NUMBERS | TEXT.map(json.dumps) | st.sampled_from(["true", "false", "null", "", "nul"])
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: f"[{','.join(parts)}]")
        | st.lists(st.tuples(TEXT.map(json.dumps), inner), max_size=3).map(
            lambda pairs: "{" + ",".join(f"{key}:{value}" for key, value in pairs) + "}"
        )
    ),
    max_leaves=5,
)
KEYS = st.sampled_from(['"id"', '"name"', '"tag"', '"\\u0069d"', '"Id"', '"x"', '""', "id"])
MEMBERS = st.lists(
    st.one_of(
        st.tuples(st.just('"id"'), NUMBERS),
        st.tuples(st.sampled_from(['"name"', '"tag"']), TEXT.map(json.dumps)),
        st.tuples(KEYS, VALUES),
    ),
    max_size=6,
)
OBJECTS = MEMBERS.map(lambda pairs: "{" + ",".join(f"{key}:{value}" for key, value in pairs) + "}")
BODIES = (OBJECTS | VALUES).map(lambda text: text.encode("utf-8", "surrogatepass"))
PLANTS = st.builds(
    NewPlant,
    id=st.integers(-(2**63), 2**63 - 1),
    name=TEXT.filter(lambda text: is_text(text, 1000, 1)),
    tag=st.none() | TEXT.filter(lambda text: is_text(text, 256, 0)),
)


def to_json(plant: NewPlant) -> dict[str, Any]:
    fields: dict[str, Any] = {"name": plant.name, "id": plant.id}
    return fields if plant.tag is None else fields | {"tag": plant.tag}


@often
@given(PLANTS, st.sampled_from([{}, {"ensure_ascii": False}, {"indent": 2}]))
def test_every_plant_is_read_as_it_was_written(plant: NewPlant, writing: dict[str, Any]) -> None:
    body = json.dumps(to_json(plant), **writing).encode()
    assert decode(body) == judge(body) == plant


@often
@given(BODIES)
@example(b'{"id":1,"name":"a","x":"\\q"}')
@example(b'{"id":1,"name":"a","x":"\\ud800"}')
@example(b'{"id":1,"name":"a","x":01}')
@example(b'{"id":"1","id":1,"name":"a"}')
@example(b'{"id":1,"name":"a","tag":null,"tag":"b"}')
@example(b'{"id":1,"name":"a","tag":"b","tag":null}')
@example(b"\xef\xbb\xbf{}")
def test_a_body_is_judged_by_the_rules(body: bytes) -> None:
    expect_the_same(body)


@often
@given(PLANTS, st.integers(0, 60), st.integers(0, 3), st.binary(max_size=3))
def test_a_damaged_body_is_judged_by_the_rules(
    plant: NewPlant, at: int, length: int, instead: bytes
) -> None:
    body = json.dumps(to_json(plant), ensure_ascii=False).encode()
    expect_the_same(body[:at] + instead + body[at + length :])


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "it is empty"),
        (b'{"id": 7', "it is not valid JSON at line 1, column 9"),
        (b'\xef\xbb\xbf{"id": 7}', "it is not valid JSON at line 1, column 1"),
        (b'{"id": NaN}', "NaN is not JSON"),
        (b'{"id": "\xff"}', "byte 8 is not valid UTF-8"),
    ],
)
def test_what_is_not_json_is_said_in_words_of_ours(body: bytes, reason: str) -> None:
    with pytest.raises(RequestError) as raised:
        decode_new_plant(body)
    assert (raised.value.number, raised.value.details) == (40001, {"reason": reason})
