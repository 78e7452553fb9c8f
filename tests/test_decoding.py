"""Input is decoded in a constant number of calls: a call for each part would be slow."""

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from plantstore.core.decoding import decode_new_plant
from plantstore.core.errors import RequestError
from plantstore.http.write_headers import read_tags

MANY = 90


def count_calls(function: Callable[[bytes], object], argument: bytes) -> int:
    """The number of function calls that a call of the function makes."""
    count = 0

    def profile(_frame: object, event: str, _argument: Any) -> None:  # noqa: ANN401 - it is unused
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        with suppress(RequestError):
            function(argument)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    ("function", "text", "part"),
    [
        (decode_new_plant, b'{"id": 1.0, "name": "Fern", "more": [PARTS 1]}', b"1.5, "),
        (decode_new_plant, b'{"id": 1, "name": "", "more": [PARTS 1]}', b"1e0, "),
        (read_tags, b'"0123456789abcdef"PARTS', b', "other"'),
        (read_tags, b'PARTS"0123456789abcdef"', b" , "),
    ],
)
def test_the_number_of_calls_does_not_depend_on_the_number_of_parts(
    function: Callable[[bytes], object], text: bytes, part: bytes
) -> None:
    few, many = (count_calls(function, text.replace(b"PARTS", n * part)) for n in (1, MANY))
    assert few == many


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        (
            b'W/"00000000000000aa" ,\t"00000000000000bb-gzip",,"00000000000000cc"',
            ["aa", "bb", "cc"],
        ),
        (b'"other", "00000000000000aa","00000000000000BB"', ["aa"]),
        (b'"00000000000000aa" "00000000000000bb", w/"00000000000000cc"', []),
        (b'x"00000000000000aa", "00000000000000bb"x, "00000000000000cc-"', []),
        (b'"x, "00000000000000aa"', ["aa"]),
    ],
)
def test_entity_tags_are_separated_by_commas(text: bytes, tags: list[str]) -> None:
    assert list(read_tags(text)) == [f"00000000000000{end}" for end in tags]
