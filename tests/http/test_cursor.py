"""Cursors: each stands for one id, and nothing else is taken for a cursor."""

import string

from hypothesis import example, given
from hypothesis import strategies as st

from plantstore.http.cursor import decode_cursor, encode_cursor
from plantstore.model import INT64_MAX, INT64_MIN

_ALPHABET = string.ascii_letters + string.digits + "-_"
INT64 = st.integers(INT64_MIN, INT64_MAX)


@given(INT64)
@example(INT64_MIN)
@example(0)
@example(-1)
@example(INT64_MAX - 1)
def test_every_id_that_a_plant_can_follow_round_trips(last_id: int) -> None:
    cursor = encode_cursor(last_id)
    assert len(cursor) == 11
    assert set(cursor) <= set(_ALPHABET)
    # No plant follows the largest id: no cursor for it is ever given out, nor taken.
    assert decode_cursor(cursor) == (None if last_id == INT64_MAX else last_id)


@given(st.one_of(st.text(), st.text(_ALPHABET, min_size=10, max_size=12)))
def test_whatever_is_taken_is_what_was_given_out(text: str) -> None:
    last_id = decode_cursor(text)
    assert last_id is None or encode_cursor(last_id) == text
